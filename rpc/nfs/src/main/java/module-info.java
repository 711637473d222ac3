/** NFS version 4.1 (RFC 8881): a client and a server, over any transport of oncrpc4j. */
module org.panamaverbs.nfs {
    requires transitive org.panamaverbs.rpcrdma;
    requires org.panamaverbs.posix;
    requires org.slf4j;

    exports org.panamaverbs.nfs.client;
    exports org.panamaverbs.nfs.server;
    exports org.panamaverbs.nfs.xdr;
}
