/** A provider of NIO's channels and selectors over verbs, for programs that cannot be changed. */
module org.panamaverbs.nio {
    requires transitive org.panamaverbs.sockets;
    requires transitive java.instrument;
    requires static org.jspecify;
    requires org.slf4j;

    exports org.panamaverbs.nio;

    provides org.panamaverbs.spi.DeclaredSettings with org.panamaverbs.nio.NioSettings;
}
