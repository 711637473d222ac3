/**
 * TCP and UDP on Linux, by epoll, {@code readv}, {@code writev}, {@code recvmmsg} and {@code sendmmsg} through the Foreign Function &amp;
 * Memory API.
 *
 * <p>{@code PeerWatch} belongs to the epoll set. The set breaks the channel of a silent peer and reports it as readable and writable, so
 * handshakes, queue pairs and sockets need no code of their own. An epoll set without data in flight waits without limit.
 */
package org.panamaverbs.softiwarp.transport.epoll;
