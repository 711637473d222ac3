/**
 * RDMA verbs for Java: the programming interface, its service provider interface, and the choice of a provider by configuration.
 *
 * <p>Start at {@link org.panamaverbs.Verbs} and {@link org.panamaverbs.cm.ConnectionManager}.
 */
module org.panamaverbs {
    requires static org.jspecify;
    requires org.slf4j;
    requires static jdk.jfr;

    exports org.panamaverbs;
    exports org.panamaverbs.cm;
    exports org.panamaverbs.device;
    exports org.panamaverbs.spi;
    exports org.panamaverbs.spi.support;
    exports org.panamaverbs.statistics;

    uses org.panamaverbs.spi.DeclaredSettings;
    uses org.panamaverbs.spi.VerbsProvider;
}
