/**
 * The bridge to libc that our modules share, over the generated bindings; nothing is meant for programs. Native access has to be enabled for
 * this module.
 */
module org.panamaverbs.posix {
    requires transitive org.panamaverbs.bindings;

    exports org.panamaverbs.posix to org.panamaverbs.nfs, org.panamaverbs.rdmacore, org.panamaverbs.softiwarp, org.panamaverbs.tools;
}
