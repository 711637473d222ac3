/**
 * The provider for RDMA devices: the objects of verbs over libibverbs and librdmacm, thin. It is found through
 * {@link org.panamaverbs.spi.VerbsProvider}; programs use the interfaces of {@link org.panamaverbs}.
 *
 * <p>One thread per session, {@link org.panamaverbs.rdmacore.EventReader}, takes all events of the libraries and acknowledges each at
 * once, so that destroying never waits for an acknowledgement. Who waits for something waits on a condition of Java: a virtual thread
 * that waits keeps no carrier, and closing wakes everybody.
 */
package org.panamaverbs.rdmacore;
