/**
 * The queues of verbs as rings: send, receive, completion, and the two read queues. Work is written straight into its slot; publishing
 * and consuming order memory as each field says. No socket, clock, thread or random source: where a ring wakes somebody, it calls a
 * listener.
 *
 * <p>It may touch {@code memory}.
 */
package org.panamaverbs.softiwarp.queue;
