/**
 * The calls of libibverbs, librdmacm and libc, and the memory that they are given. Calls off the hot path capture {@code errno}; those of
 * the hot path take addresses and capture nothing. Only this package links functions. It stands below all others.
 *
 * <p>Posting, polling and arming go through the function pointers of {@code ibv_context.ops}. They return the error, so nothing is
 * captured, and they allocate nothing. They take addresses: a segment of a shared arena as argument, its checks and two JDK locks would
 * cost more than both calls. Each call contains a fence of the JVM, which {@code -XX:+UseSystemMemoryBarrier} removes.
 */
package org.panamaverbs.rdmacore.ffi;
