/** A provider of verbs within one JVM: an example for authors of providers. */
module example.loopback {
    requires org.panamaverbs;

    provides org.panamaverbs.spi.VerbsProvider with example.loopback.LoopbackProvider;
}
