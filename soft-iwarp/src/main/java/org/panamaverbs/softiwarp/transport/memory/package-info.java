/**
 * Streams inside one process, for tests and measurements: no socket. It may touch {@code transport} and {@code memory}.
 */
package org.panamaverbs.softiwarp.transport.memory;
