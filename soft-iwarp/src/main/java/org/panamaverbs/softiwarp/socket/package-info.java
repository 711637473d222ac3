/**
 * The DDP sockets of {@code org.panamaverbs.ddp}: thin objects over the protocol packages. Each kind of socket wires a client
 * ({@code client}), a protocol ({@code ddp} over {@code mpa} or {@code sctp}, or {@code ddpp}) and a transport together.
 */
package org.panamaverbs.softiwarp.socket;
