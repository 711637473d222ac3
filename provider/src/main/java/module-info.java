/**
 * Verbs on RDMA devices through libibverbs and librdmacm. Nothing is exported: programs find the provider through {@code VerbsProvider}.
 */
module org.panamaverbs.rdmacore {
    requires org.panamaverbs;
    requires org.panamaverbs.posix;
    requires org.slf4j;

    provides org.panamaverbs.spi.VerbsProvider with org.panamaverbs.rdmacore.RdmaCoreProvider;
}
