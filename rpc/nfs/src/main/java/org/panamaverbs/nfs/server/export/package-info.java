/**
 * The exported directory: files found by handle and name without following a symbolic link, and nothing outside of the directory. It knows
 * the system's calls and errors ({@code errno}), and neither NFS nor RPC.
 */
package org.panamaverbs.nfs.server.export;
