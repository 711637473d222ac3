/**
 * iWARP in user space: a provider of verbs that needs no device, found through {@code VerbsProvider}; and DDP as a layer of its own,
 * {@link org.panamaverbs.ddp}.
 */
module org.panamaverbs.softiwarp {
    requires transitive org.panamaverbs;
    requires org.panamaverbs.bindings;
    requires org.slf4j;
    requires static jdk.jfr;
    requires static jdk.sctp;

    exports org.panamaverbs.ddp;

    provides org.panamaverbs.spi.VerbsProvider with org.panamaverbs.softiwarp.SoftIwarpProvider;
}
