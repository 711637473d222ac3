/** Operations and types of NFS version 4.1 (RFC 8881) as XDR, and the upper-layer binding (RFC 8267): what the client and the server share. */
package org.panamaverbs.nfs.xdr;
