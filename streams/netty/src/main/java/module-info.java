/** A transport for Netty over verbs. */
module org.panamaverbs.netty {
    requires transitive org.panamaverbs.sockets;
    requires transitive io.netty.transport;
    requires transitive io.netty.common;
    requires transitive io.netty.buffer;
    requires static org.jspecify;
    requires org.slf4j;

    exports org.panamaverbs.netty;

    provides org.panamaverbs.spi.DeclaredSettings with org.panamaverbs.netty.DeclaredTransport;
}
