/**
 * TCP and UDP on any system that runs Java, by the channels and selectors of NIO.
 */
package org.panamaverbs.softiwarp.transport.nio;
