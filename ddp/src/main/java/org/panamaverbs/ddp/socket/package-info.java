/**
 * The DDP sockets of {@code org.panamaverbs.ddp}: thin objects over the protocol packages. Each kind of socket wires a client
 * ({@code buffers}), a protocol (soft-iwarp's {@code ddp} over its {@code mpa} or over {@code sctp}, or {@code ddpp}) and a transport
 * together.
 */
package org.panamaverbs.ddp.socket;
