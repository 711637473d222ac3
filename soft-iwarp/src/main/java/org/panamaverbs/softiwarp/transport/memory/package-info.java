/**
 * Streams inside one process without sockets, for tests and measurements. This package may use {@code transport} and {@code memory}.
 */
package org.panamaverbs.softiwarp.transport.memory;
