/**
 * Byte streams, datagrams and their events: the contracts ({@link org.panamaverbs.softiwarp.transport.Channel},
 * {@link org.panamaverbs.softiwarp.transport.Acceptor}, {@link org.panamaverbs.softiwarp.transport.DatagramPort},
 * {@link org.panamaverbs.softiwarp.transport.Multiplexer}), and the code that all kinds of transport share. Each kind is a subpackage; the
 * kinds do not know each other. Also a log that untrusted peers cannot fill, for all that meet peers. This package and its subpackages are
 * the only ones that do I/O.
 *
 * <p>A socket is bound to the local address of its route before it connects. A listening socket of epoll has the type of service, and
 * accepted sockets inherit it. NIO lacks that option for listening sockets, so it sets the type of service on each accepted socket, after
 * the SYN-ACK. There is no acknowledgement time-out: verbs mean the time-out of a request, and the user time-out of TCP is one of a
 * connection.
 */
package org.panamaverbs.softiwarp.transport;
