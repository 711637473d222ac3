/**
 * The stream of one queue pair: {@link org.panamaverbs.softiwarp.qp.Stream} wires MPA, DDP and RDMAP together,
 * {@link org.panamaverbs.softiwarp.qp.StreamState} lists its states, and {@link org.panamaverbs.softiwarp.qp.CloseSequence} the steps in
 * which it ends. No I/O, clock, thread or random source.
 */
package org.panamaverbs.softiwarp.qp;
