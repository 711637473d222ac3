/**
 * DDP over SCTP (RFC 5043), as a layer below soft-iwarp's {@code ddp} and beside its {@code mpa}; without I/O, clock or thread. A message
 * is the payload of one SCTP Data Chunk. {@link org.panamaverbs.ddp.sctp.Session} is the start and the end of a DDP Stream Session, {@link
 * org.panamaverbs.ddp.sctp.SctpSegments} puts DDP segments into messages, and {@link org.panamaverbs.ddp.sctp.MessageReader} brings
 * received messages into order and has DDP place their payload.
 *
 * <p><b>Wiring a stream.</b> For each SCTP stream: one {@link org.panamaverbs.ddp.sctp.Outbound}, the one message that leaves next;
 * one {@code Session} over it, active or passive; one {@code SctpSegments} over both, as the {@code LowerLayer} of a
 * {@code DdpTransmitter}; one {@code MessageReader} over the session, to which {@code bind} gives the {@code DdpReceiver} once the program
 * receives.
 * <ul>
 * <li>Receive path, one thread at a time: receive one message from the {@code MessageChannel} into a buffer that is longer than the
 * longest segment, and call {@code MessageReader.onMessage}. {@code NONE}: receive the next one. {@code SESSION_FAILED}: the session says
 * why. Any other value is an error of DDP: report it to the program, send the ULP's last message if it has one, and call
 * {@code Session.fail}. At the end of the association call {@code Session.onEndOfAssociation}.
 * <li>Send path, one thread at a time: while {@code Session.pollTransmit} is not empty, give it to {@code MessageChannel.send}, and call
 * {@code Outbound.onSent} once that returns 1. If it is empty and {@code Session.isOpen}, {@code DdpTransmitter.sendSegment} fills it.
 * Each message leaves as an unordered one, with the protocol identifier that the outbound message names.
 * <li>The session has one state for both paths. If two threads run them, one lock covers {@code onMessage}'s control messages and
 * {@code pollTransmit}: simplest is to run both paths on the loop's leader.
 * <li>End of our direction ({@code shutdownOutput}): {@code Session.terminate} after the last message is complete. Once
 * {@code Session.state} is {@code ENDED}, {@code REJECTED}, {@code REFUSED} or {@code FAILED} and {@code pollTransmit} is empty, the
 * association is closed: with {@code MessageChannel.close}, or {@code abort} if {@code Session.isAbortive}.
 * </ul>
 *
 * <p>The JDK's channels send from one buffer and receive into one, so each payload is copied once at each side. SCTP's own CRC-32c covers
 * each message before the kernel hands it up. A program that polls memory for the end of a message is not served: only the delivery says
 * that everything before is there.
 */
package org.panamaverbs.ddp.sctp;
