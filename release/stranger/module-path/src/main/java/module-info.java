module app {
    requires org.panamaverbs;
}
