/** Operations and types of NFS version 4.1 (RFC 8881) as XDR, and the upper-layer binding (RFC 8267). The client and the server share them. */
package org.panamaverbs.nfs.xdr;
