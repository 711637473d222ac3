/**
 * The queues of verbs as rings: send, receive and completion queue, and the two queues of Reads. Posters write requests straight into their
 * slots. Each shared field says how its accesses order memory. No I/O, clock, thread or random source: a ring calls a listener to wake a
 * thread.
 */
package org.panamaverbs.softiwarp.queue;
