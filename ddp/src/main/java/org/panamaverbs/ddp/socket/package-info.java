/**
 * The DDP sockets of {@code org.panamaverbs.ddp}: thin objects over the protocol packages. Each kind of socket wires a client
 * ({@code buffers}), a protocol (soft-iwarp's {@code ddp} over its {@code mpa} or over {@code sctp}, or {@code ddpp}) and a transport
 * together.
 *
 * <p>The loop's leader receives and places. A thread that sends takes its turn ({@code SendTurn}), writes to the channel or port itself,
 * and waits while the transport takes nothing. Indications wait in a ring; while it is full the socket stops receiving, so TCP holds the
 * sender back, and the kernel drops datagrams. A socket receives from its first registration, post or receive on, so that a program can
 * register what the peer knows already.
 */
package org.panamaverbs.ddp.socket;
