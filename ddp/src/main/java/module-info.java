/** DDP as a layer of its own, without queue pairs: {@link org.panamaverbs.ddp}. It is built on the layers of soft-iwarp. */
module org.panamaverbs.ddp {
    requires transitive org.panamaverbs;
    requires org.panamaverbs.softiwarp;
    requires org.slf4j;
    requires static jdk.sctp;

    exports org.panamaverbs.ddp;

    uses org.panamaverbs.ddp.DdpContext.Provider;

    provides org.panamaverbs.ddp.DdpContext.Provider with org.panamaverbs.ddp.socket.SoftDdpProvider;
    provides org.panamaverbs.spi.DeclaredSettings with org.panamaverbs.ddp.socket.SoftDdpProvider;
}
