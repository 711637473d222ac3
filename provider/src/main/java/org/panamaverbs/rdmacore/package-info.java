/**
 * The provider for RDMA devices: the objects of verbs over libibverbs and librdmacm, thin. It is found through
 * {@link org.panamaverbs.spi.VerbsProvider}; programs use the interfaces of {@link org.panamaverbs}.
 *
 * <p>One thread per session, {@link org.panamaverbs.rdmacore.event.EventReader}, takes all events of the libraries and acknowledges each at
 * once, so that destroying never waits for an acknowledgement. Threads that wait use conditions of Java: a virtual thread that waits keeps
 * no carrier, and closing wakes every thread.
 */
package org.panamaverbs.rdmacore;
