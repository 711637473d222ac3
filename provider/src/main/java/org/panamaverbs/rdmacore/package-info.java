/**
 * The provider for RDMA devices: the objects of verbs over libibverbs and librdmacm, thin. It is found through
 * {@link org.panamaverbs.spi.VerbsProvider}; programs use {@link org.panamaverbs.Verbs} and the interfaces beside it.
 *
 * <p>One thread per session, {@link org.panamaverbs.rdmacore.event.EventReader}, takes all events of the libraries and acknowledges each at
 * once, so that destroying never waits for an acknowledgement. Threads that wait use conditions of Java: a virtual thread that waits keeps
 * no carrier, and closing wakes every thread.
 *
 * <p>The end of a connection puts the queue pair into error, takes the completions that the device flushes within 300 ms, flushes the rest,
 * and only then wakes the threads that wait. If the device refuses the error state, its queue pair is destroyed before the rest is flushed.
 * iWARP drivers report no received Terminate, so there an end can look orderly. {@code IBV_EVENT_DEVICE_FATAL} ends a device, and so does
 * {@code RDMA_CM_EVENT_DEVICE_REMOVAL} if the driver cannot take a device from a process (siw, rxe).
 *
 * <p>An upper package implements an interface of the lower one that calls it: {@code CoreDevice} is a {@code WatchedDevice} to the event
 * reader and a {@code ConnectingDevice} to {@code cm}.
 */
package org.panamaverbs.rdmacore;
