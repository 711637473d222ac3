/** A server of NFS version 4.1: the files of one directory, and nothing outside of it. */
package org.panamaverbs.nfs.server;
