/**
 * TCP and UDP on Linux, by epoll, {@code readv}, {@code writev}, {@code recvmmsg} and {@code sendmmsg} through the Foreign Function &amp; Memory API. This package may use
 * {@code transport} and {@code memory}.
 */
package org.panamaverbs.softiwarp.transport.epoll;
