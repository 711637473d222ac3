/**
 * {@code pverbs cast} and {@code pverbs catch}: a file placed into the mapped files of receivers by DDP, over TCP, UDP or multicast.
 *
 * <p>{@code Holes} knows which octets have come. {@code RepairSender} and {@code RepairReceiver} are the two ends of a repair; they know no
 * socket and no clock. {@code Caster}, {@code DatagramCatcher} and {@code StreamCatcher} move them with sockets.
 *
 * <p>Receivers on one machine share a group's port, so each reports from a port of its own.
 */
package org.panamaverbs.tools.cast;
