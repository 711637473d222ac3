/**
 * RPC-over-RDMA, versions 1 and 2: a transport of oncrpc4j, whose results land in the caller's memory. Start at
 * {@link org.panamaverbs.rpcrdma}.
 */
module org.panamaverbs.rpcrdma {
    requires transitive org.panamaverbs;
    requires transitive org.dcache.oncrpc4j;
    // The XDR streams of oncrpc4j show its buffers.
    requires transitive org.glassfish.grizzly;
    requires org.slf4j;

    exports org.panamaverbs.rpcrdma;
    exports org.panamaverbs.rpcrdma.limits;

    provides org.panamaverbs.spi.DeclaredSettings with org.panamaverbs.rpcrdma.limits.DeclaredLimits;
}
