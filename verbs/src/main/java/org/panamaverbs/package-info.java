/**
 * Verbs: devices, protection domains, memory regions, queue pairs and completion queues.
 *
 * <p>A program opens {@link org.panamaverbs.Verbs}, registers {@link java.lang.foreign.MemorySegment}s in a
 * {@link org.panamaverbs.ProtectionDomain}, connects a {@link org.panamaverbs.QueuePair} through
 * {@link org.panamaverbs.cm.ConnectionManager}, posts work requests and polls a {@link org.panamaverbs.CompletionQueue}. The words are
 * those of the RDMA verbs (RFC 5040, the RDMA Protocol Verbs Specification, and libibverbs), and constants have the values that
 * libibverbs gives them. {@link org.panamaverbs.device} has the attributes and addresses of devices,
 * {@link org.panamaverbs.statistics} what providers count.
 *
 * <h2>Parents and children</h2>
 * An object belongs to the one that it is indented under. Closing a parent closes its children first.
 *
 * <pre>
 * Verbs
 *   Device
 *     CompletionQueue            also child of the CompletionChannel that it was made with
 *     CompletionChannel
 *     AsynchronousEvents
 *     ProtectionDomain
 *       MemoryRegion
 *       MemoryWindow             bound to a part of a MemoryRegion
 *       AddressHandle
 *       SharedReceiveQueue
 *       QueuePair                also child of its CompletionQueues and its SharedReceiveQueue
 *         cm.Connection          of a queue pair that the connection manager connects
 * </pre>
 *
 * <h2>The life of a request</h2>
 *
 * <pre>
 * described      request.write(7).local(region, 0, 4096).remote(memory, 0).signaled()
 *    |
 *    | post, tryPost: the request is checked and copied; the object may describe the next one
 *    v
 * in the queue   QueuePair.sendRoom counts the free places; the memory belongs to the device
 *    |
 *    | the device has carried it out, or it failed, or the connection ended
 *    v
 * completed      a completion with the number 7 is in the CompletionQueue, if it was signaled or failed
 *    |
 *    | poll, await, take
 *    v
 * polled         the memory is the program's again; the place in the queue is free
 * </pre>
 *
 * <p>A receive lives the same life, and completes with the message that landed in it. {@link org.panamaverbs.DatagramQueuePair} shows how
 * messages go without a connection.
 *
 * <h2>Rules that hold for every type here</h2>
 * <dl>
 * <dt>null</dt>
 * <dd>No argument and no result is {@code null}, unless it is marked as {@code @Nullable} (JSpecify); a {@code null} argument is a
 * {@link java.lang.NullPointerException}.</dd>
 * <dt>Threads</dt>
 * <dd>Every object may be used by any thread, but for those that a program makes to describe requests and to read completions: a
 * {@link org.panamaverbs.SendRequest}, a {@link org.panamaverbs.ReceiveRequest}, a {@link org.panamaverbs.ScatterGatherList} and a
 * {@link org.panamaverbs.Completions} belong to one thread at a time. Virtual threads may call everything that waits.</dd>
 * <dt>Lifetimes</dt>
 * <dd>{@code close} may be called any number of times, in any order, by any thread. Closing an object first closes what depends on it:
 * {@code Verbs} its devices, a device its protection domains, completion queues and connections, a protection domain and a completion
 * queue the queue pairs that use them. Work in flight on a closed queue pair is flushed. Threads that wait for something on a closed
 * object are woken with a {@link org.panamaverbs.ClosedException}; each later use of the object throws one, too.</dd>
 * <dt>Memory</dt>
 * <dd>A region keeps its segment reachable, and its arena cannot be closed before the region: {@link java.lang.foreign.Arena#close} is
 * refused. So the arena is opened before, and closed after, what uses it.</dd>
 * <dt>Errors</dt>
 * <dd>A mistake of the caller is an {@link java.lang.IllegalArgumentException} or {@link java.lang.IllegalStateException}, thrown by the
 * call. Everything else is a {@link org.panamaverbs.VerbsException}, whose subclasses say whose fault it was: the peer's, a
 * resource's, the system's. A request that was posted never throws: it completes with a status. A full queue is not an error: {@code tryPost}
 * returns {@code false}, and {@code post} throws {@link org.panamaverbs.QueueFullException}.</dd>
 * <dt>Waits</dt>
 * <dd>The same rules hold for every method that takes a time limit. If the time is up, a method that gives an object throws
 * {@link org.panamaverbs.VerbsTimeoutException}, and a method that counts or tells returns 0 or {@code false}. A limit of 0 looks once and
 * does not wait; a negative limit is an {@link java.lang.IllegalArgumentException}. If the thread is interrupted, the wait ends with a
 * {@link org.panamaverbs.WaitInterruptedException}, and the thread stays interrupted. If the object, or one that it depends on, is closed,
 * the wait ends with a {@link org.panamaverbs.ClosedException}.</dd>
 * <dt>Units</dt>
 * <dd>Lengths and offsets are bytes. Keys are 32 bits, any pattern; print them as hexadecimal. Times are {@link java.time.Duration}s;
 * {@link org.panamaverbs.Verbs#FOREVER} waits without limit.</dd>
 * </dl>
 */
@NullMarked
package org.panamaverbs;

import org.jspecify.annotations.NullMarked;
