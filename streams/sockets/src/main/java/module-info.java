/** Byte streams over verbs, on the wire of rsocket. */
module org.panamaverbs.sockets {
    requires transitive org.panamaverbs;
    requires static org.jspecify;
    requires org.slf4j;

    exports org.panamaverbs.sockets;
}
