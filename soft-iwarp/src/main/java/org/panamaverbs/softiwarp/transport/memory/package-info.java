/**
 * Streams inside one process without sockets, for tests and measurements.
 */
package org.panamaverbs.softiwarp.transport.memory;
