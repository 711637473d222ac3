/** iWARP in user space: a provider of verbs that needs no device. Nothing is exported: it is found through {@code VerbsProvider}. */
module org.panamaverbs.softiwarp {
    requires org.panamaverbs;
    requires org.panamaverbs.bindings;
    requires org.slf4j;

    provides org.panamaverbs.spi.VerbsProvider with org.panamaverbs.softiwarp.SoftIwarpProvider;
}
