/**
 * The calls of libc that our modules make. Function descriptors, addresses, structs and constants are the generated ones of
 * {@code org.panamaverbs.bindings.libc}, which are for x86_64. This package holds what jextract cannot express: a call that keeps its error
 * number ({@link org.panamaverbs.posix.Native}), the names of those numbers ({@link org.panamaverbs.posix.Errno}), variadic calls, and what
 * differs between processors ({@link org.panamaverbs.posix.Processor}). {@code HeadersTest} compares all of it with the C headers.
 */
package org.panamaverbs.posix;
