/**
 * TCP wherever Java runs: channels and a selector of NIO. It may touch {@code transport} and {@code memory}.
 */
package org.panamaverbs.softiwarp.transport.nio;
