/**
 * The calls of libibverbs, librdmacm and libc, and the memory that they are given. Calls off the hot path capture {@code errno}; those of the
 hot path take addresses and capture nothing. Only this package links functions. It stands below all others.
 */
package org.panamaverbs.rdmacore.ffi;
