/**
 * TCP on Linux, by epoll, {@code readv} and {@code writev} through the Foreign Function &amp; Memory API. This package may use
 * {@code transport} and {@code memory}.
 */
package org.panamaverbs.softiwarp.transport.epoll;
