/**
 * A transport for Netty 4.2 over verbs: {@link org.panamaverbs.netty.VerbsIoHandler} takes the place of {@code NioIoHandler}, and
 * {@link org.panamaverbs.netty.VerbsSocketChannel} and {@link org.panamaverbs.netty.VerbsServerSocketChannel} those of NIO's channels.
 */
package org.panamaverbs.netty;
