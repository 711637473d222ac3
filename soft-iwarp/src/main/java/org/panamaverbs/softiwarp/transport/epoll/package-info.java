/**
 * TCP on Linux: epoll, {@code readv} and {@code writev} through the Foreign Function &amp; Memory API. It may touch {@code transport} and
 * {@code memory}.
 */
package org.panamaverbs.softiwarp.transport.epoll;
