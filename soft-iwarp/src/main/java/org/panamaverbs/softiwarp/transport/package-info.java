/**
 * Byte streams and who waits for them: the contracts ({@link org.panamaverbs.softiwarp.transport.Channel},
 * {@link org.panamaverbs.softiwarp.transport.Acceptor}, {@link org.panamaverbs.softiwarp.transport.Multiplexer}), and what all kinds share.
 * The kinds are the packages below, which do not know each other. This one may touch {@code memory}. It and those below are the only ones
 * that touch the system.
 */
package org.panamaverbs.softiwarp.transport;
