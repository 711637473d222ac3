/**
 * The client of DDP that stands behind the sockets of {@code org.panamaverbs.ddp} (RFC 4296, 2.1.2): registered buffers, posted receives
 * and indications. It stands above soft-iwarp's {@code ddp} as {@code rdmap} does, and serves {@code ddpp} in the same way. It does no I/O,
 * and gets the time and random numbers as arguments.
 */
package org.panamaverbs.ddp.buffers;
