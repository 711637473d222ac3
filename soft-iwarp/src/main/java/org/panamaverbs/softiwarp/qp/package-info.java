/**
 * One queue pair's stream: {@link org.panamaverbs.softiwarp.qp.Stream} wires MPA, DDP and RDMAP together,
 * {@link org.panamaverbs.softiwarp.qp.StreamState} says where it is in its life, and {@link org.panamaverbs.softiwarp.qp.CloseSequence} in
 * which steps it ends. No I/O, clock, thread or random source. It may touch {@code rdmap}, {@code mpa}, {@code ddp} and all below.
 */
package org.panamaverbs.softiwarp.qp;
