/**
 * A provider of NIO's channels and selectors ({@link java.nio.channels.spi.SelectorProvider}), for programs that cannot be changed. A
 * channel to or from an address that the setting {@code panamaverbs.nio.addresses} names is a byte stream over verbs. Everything else is
 * the JDK's: other addresses, datagrams, pipes and Unix sockets. One selector has channels of both kinds.
 *
 * <p>A JVM gets the provider by {@code -javaagent:panama-verbs-nio.jar=<addresses>} ({@link org.panamaverbs.nio.NioAgent}).
 */
@NullMarked
package org.panamaverbs.nio;

import org.jspecify.annotations.NullMarked;
