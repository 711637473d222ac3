/**
 * Byte streams and who waits for them: TCP by epoll and {@code readv}/{@code writev} through the Foreign Function &amp; Memory API, NIO
 * channels where that is not to be had, and an in-memory one for tests; the event loop that drives queue pairs over them. The only
 * package that touches sockets.
 */
package org.panamaverbs.softiwarp.transport;
