/**
 * What jextract makes of the C headers of libibverbs, librdmacm and the few libc calls that panama-verbs needs: function
 * descriptors and addresses, layouts of structs, constants. Nothing here is written by hand but this file, and nothing is
 * meant for programs, which use the API of panama-verbs.
 *
 * <p>The layouts are those of Linux on x86_64. Native access has to be enabled for this module.
 *
 * <p>The first use of any class of {@code org.panamaverbs.bindings.rdma}, a layout or a constant included, loads
 * {@code libibverbs.so.1} and {@code librdmacm.so.1}, and fails with an {@link java.lang.ExceptionInInitializerError} where
 * one of them is missing. {@code org.panamaverbs.bindings.libc} uses the libc that the JVM has loaded already.
 */
module org.panamaverbs.bindings {
    exports org.panamaverbs.bindings.libc;
    exports org.panamaverbs.bindings.rdma;
}
