/**
 * Registered memory: the STag table, access and bounds checks, and vectors of parts of memory. No socket, clock, thread or random source.
 */
package org.panamaverbs.softiwarp.memory;
