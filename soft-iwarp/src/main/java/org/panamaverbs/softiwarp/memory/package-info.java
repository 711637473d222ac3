/**
 * Registered memory: the STag table, access and bounds checks, and vectors of parts of memory; also the handles of fields that threads
 * share, and messages for the moment when memory runs out. No I/O, clock, thread or random source.
 */
package org.panamaverbs.softiwarp.memory;
