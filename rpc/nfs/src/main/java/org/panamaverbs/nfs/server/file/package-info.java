/** The operations on files (RFC 8881, 18.1 to 18.32) and on their state. */
package org.panamaverbs.nfs.server.file;
