/**
 * TCP and UDP on any system that runs Java, by the channels and selectors of NIO. This package may use {@code transport} and {@code memory}.
 */
package org.panamaverbs.softiwarp.transport.nio;
