/** The statistics of devices as meters of Micrometer. */
module org.panamaverbs.micrometer {
    requires transitive micrometer.core;
    requires transitive org.panamaverbs;

    exports org.panamaverbs.micrometer;
}
