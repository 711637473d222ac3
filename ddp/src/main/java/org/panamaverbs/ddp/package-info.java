/**
 * Direct data placement without queue pairs: the interface of RFC 4296, section 2, over streams and datagrams.
 *
 * <p>A program opens a {@link org.panamaverbs.ddp.DdpContext}, and from it {@link org.panamaverbs.ddp.DdpSocket}s. It registers a buffer on
 * a socket, or on a {@link org.panamaverbs.ddp.DdpGroup} of sockets, and gives the buffer's address (STag and offset) to its peer by
 * some message of its own. The peer sends tagged messages to that address ({@link org.panamaverbs.ddp.DdpSocket#sendDdp}). The socket
 * places the payload into the buffer without the receiving program's help. {@link org.panamaverbs.ddp.DdpSocket#receive} returns untagged
 * messages, and the tagged messages whose sender asked for a notification.
 *
 * <p>{@link org.panamaverbs.ddp.DdpTransport} lists the transports: RFC 5041 over MPA or SCTP, and DDPP core
 * (draft-bailey-roi-ddpp-core-00) over TCP, UDP, multicast and memory. A transport keeps its characteristics: a message over UDP can be
 * lost, can come twice and can come late.
 *
 * <h2>Rules that hold for every type here</h2>
 * <dl>
 * <dt>null</dt>
 * <dd>A {@code null} argument is a {@link java.lang.NullPointerException} unless the method says otherwise.</dd>
 * <dt>Threads</dt>
 * <dd>Any thread may use every object, with one exception: an {@link org.panamaverbs.ddp.Indication} belongs to one thread at a time.
 * Threads that send on one socket take turns, message by message. Virtual threads may call everything that waits.</dd>
 * <dt>Lifetimes</dt>
 * <dd>{@code close} may be called any number of times, in any order, by any thread. Closing a context closes its groups, sockets and
 * listeners; closing a group or a socket ends the registrations on it. A thread that waits on a closed object gets a
 * {@link org.panamaverbs.ClosedException}, and so does each later use of that object.</dd>
 * <dt>Memory</dt>
 * <dd>A registration keeps its segment reachable, and the segment's arena cannot be closed before it. After
 * {@link org.panamaverbs.ddp.RegisteredBuffer#close()} no byte of the buffer changes. The memory of a message belongs to the socket only
 * until the sending method returns.</dd>
 * <dt>Errors</dt>
 * <dd>A mistake of the caller is an {@link java.lang.IllegalArgumentException} or {@link java.lang.IllegalStateException}. Everything
 * else is a {@link org.panamaverbs.VerbsException}, whose subclasses say whose fault it was. A bad datagram from a peer is dropped and
 * counted ({@link org.panamaverbs.ddp.DdpCounters}). A stream that breaks the protocol ends, and an {@link org.panamaverbs.ddp.Indication}
 * gives the reason.</dd>
 * <dt>Waits</dt>
 * <dd>As for verbs ({@link org.panamaverbs}): a time limit of 0 does not wait; an interrupt ends the wait with a
 * {@link org.panamaverbs.WaitInterruptedException}; closing ends it with a {@link org.panamaverbs.ClosedException}.</dd>
 * <dt>Units</dt>
 * <dd>Lengths and offsets are bytes. An STag is 32 bits, any pattern. An offset in a buffer is unsigned, 64 bits.</dd>
 * </dl>
 */
package org.panamaverbs.ddp;
