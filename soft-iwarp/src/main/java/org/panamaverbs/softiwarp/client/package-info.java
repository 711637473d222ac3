/**
 * The client of DDP that stands behind the sockets of {@code org.panamaverbs.ddp} (RFC 4296, 2.1.2): registered buffers, posted receives
 * and indications. It is the neighbour of {@code rdmap} above {@code ddp}, and serves {@code ddpp} in the same way. It may use
 * {@code ddp}, {@code memory} and {@code wire}; it does no I/O, and gets the time and random numbers as arguments.
 */
package org.panamaverbs.softiwarp.client;
