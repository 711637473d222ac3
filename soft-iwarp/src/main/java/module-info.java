/** iWARP in user space: a provider of verbs that needs no device, found through {@code VerbsProvider}. */
module org.panamaverbs.softiwarp {
    requires transitive org.panamaverbs;
    requires org.panamaverbs.posix;
    requires org.slf4j;
    requires static jdk.jfr;

    // DDP sockets are built on these layers. A program without them needs no module ddp.
    exports org.panamaverbs.softiwarp to org.panamaverbs.ddp;
    exports org.panamaverbs.softiwarp.cm to org.panamaverbs.ddp;
    exports org.panamaverbs.softiwarp.ddp to org.panamaverbs.ddp;
    exports org.panamaverbs.softiwarp.memory to org.panamaverbs.ddp;
    exports org.panamaverbs.softiwarp.mpa to org.panamaverbs.ddp;
    exports org.panamaverbs.softiwarp.progress to org.panamaverbs.ddp;
    exports org.panamaverbs.softiwarp.transport to org.panamaverbs.ddp;
    exports org.panamaverbs.softiwarp.transport.kind to org.panamaverbs.ddp;
    exports org.panamaverbs.softiwarp.transport.nio to org.panamaverbs.ddp;
    exports org.panamaverbs.softiwarp.wire to org.panamaverbs.ddp;

    provides org.panamaverbs.spi.VerbsProvider with org.panamaverbs.softiwarp.SoftIwarpProvider;
}
