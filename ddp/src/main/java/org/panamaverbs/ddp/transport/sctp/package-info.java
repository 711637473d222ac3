/**
 * SCTP by the JDK's own channels (module {@code jdk.sctp}), which a selector of NIO watches. No type of that module leaves this package, so
 * that all others load without it.
 */
package org.panamaverbs.ddp.transport.sctp;
