/**
 * The DDP sockets of {@code org.panamaverbs.ddp}: thin objects over the protocol packages. Each kind of socket wires a client
 * ({@code client}), a protocol ({@code ddp} over {@code mpa} or {@code sctp}, or {@code ddpp}) and a transport together.
 *
 * <p>This package may use {@code cm}, {@code progress}, {@code transport}, {@code transport.kind}, {@code transport.nio},
 * {@code transport.sctp}, {@code socket.protocol}, {@code client}, {@code sctp}, {@code mpa}, {@code ddp}, {@code ddpp}, {@code lifecycle},
 * {@code memory} and {@code wire}.
 */
package org.panamaverbs.softiwarp.socket;
