/** {@code pverbs nfs}: files of servers of NFS version 4.1, over RDMA or TCP. */
package org.panamaverbs.tools.nfs;
