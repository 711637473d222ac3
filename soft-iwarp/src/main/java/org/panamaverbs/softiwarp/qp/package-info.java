/**
 * A queue pair's connection without I/O: {@link org.panamaverbs.softiwarp.qp.Stream} puts MPA, DDP and RDMAP together, per direction:
 * {@link org.panamaverbs.softiwarp.qp.Inbound} and {@link org.panamaverbs.softiwarp.qp.Outbound}. No socket, clock, thread or random
 * source: it can be driven by anything that moves bytes, a test included.
 *
 * <p>It may touch {@code rdmap} and what lies below it, but no transport.
 */
package org.panamaverbs.softiwarp.qp;
