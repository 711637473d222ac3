/**
 * Registered memory: the STag table, access and bounds checks, and vectors of parts of memory; beside it, the handles of
 * fields that threads share. No socket, clock, thread or random source.
 *
 * <p>It may touch {@code wire}.
 */
package org.panamaverbs.softiwarp.memory;
