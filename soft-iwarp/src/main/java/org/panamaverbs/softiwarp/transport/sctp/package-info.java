/**
 * SCTP by the JDK's own channels (module {@code jdk.sctp}), which a selector of NIO watches. No type of that module leaves this package, so
 * that all others load without it. This package may use {@code transport.nio} and {@code transport}.
 */
package org.panamaverbs.softiwarp.transport.sctp;
