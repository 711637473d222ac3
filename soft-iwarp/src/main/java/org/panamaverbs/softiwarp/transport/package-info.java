/**
 * Byte streams, datagrams and their events: the contracts ({@link org.panamaverbs.softiwarp.transport.Channel},
 * {@link org.panamaverbs.softiwarp.transport.Acceptor}, {@link org.panamaverbs.softiwarp.transport.DatagramPort},
 * {@link org.panamaverbs.softiwarp.transport.Multiplexer}), and the code that all kinds of transport share. Each kind is a subpackage;
 * the kinds do not know each other. Also a log that untrusted peers cannot fill, for all that meet peers. This package may use
 * {@code memory}. It and its subpackages are the only ones that do I/O.
 */
package org.panamaverbs.softiwarp.transport;
