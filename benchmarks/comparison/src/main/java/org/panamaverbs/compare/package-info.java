/**
 * {@code benchmarks/compare}: the traffic that we carry beside the traffic that others carry, on one machine, over loopback, in turn.
 *
 * <p>A {@code Subject} is one thing to run, a {@code Peer} is the software that it belongs to, a {@code Comparison} is a line of the table:
 * ours, theirs, and the ratio to reach. All subjects run over one {@code Network}; a {@code Revision} is another one of ours, in place
 * of this tree or beside it.
 * {@code Rounds} runs all subjects in turn, several times. {@code Report} is all that came out; {@code Json}, {@code Markdown} and
 * {@code Charts} write it.
 */
package org.panamaverbs.compare;
