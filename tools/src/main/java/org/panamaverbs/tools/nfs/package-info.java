/** {@code pverbs nfs}: files of NFS servers, and a directory served to NFS clients. */
package org.panamaverbs.tools.nfs;
