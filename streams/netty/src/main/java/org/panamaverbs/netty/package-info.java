/**
 * A transport for Netty 4.2 over verbs: {@link org.panamaverbs.netty.VerbsIoHandler} takes the place of {@code NioIoHandler}, and
 * {@link org.panamaverbs.netty.VerbsSocketChannel} and {@link org.panamaverbs.netty.VerbsServerSocketChannel} those of NIO's channels.
 * Handlers stay as they are.
 *
 * {@snippet :
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(VerbsIoHandler.newFactory(device));
 * new Bootstrap().group(group).channel(VerbsSocketChannel.class).handler(handler).connect("server", 7471);
 * }
 *
 * <p>Both ends need the transport, or a program on rsocket's wire. Channels of sockets and of verbs need groups of their own. Buffers of a
 * {@link org.panamaverbs.netty.VerbsByteBufAllocator} lie in registered memory: large ones are sent without a copy. The group ends before
 * the device is closed.
 */
@NullMarked
package org.panamaverbs.netty;

import org.jspecify.annotations.NullMarked;
