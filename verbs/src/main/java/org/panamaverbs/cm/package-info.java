/**
 * Connections: listening, connecting, accepting and rejecting, with private data and the depths of Reads (librdmacm's job).
 *
 * <p>The passive side: {@link org.panamaverbs.cm.ConnectionManager#listen} gives a {@link org.panamaverbs.cm.Listener}, which gives
 * {@link org.panamaverbs.cm.ConnectionRequest}s; each is accepted, with a queue pair made for it, or rejected. The active side:
 * {@link org.panamaverbs.cm.ConnectionManager#connector} gives a {@link org.panamaverbs.cm.Connector}, for which a queue pair is made and
 * which then connects. Both end in a {@link org.panamaverbs.cm.Connection}. Receives are posted before {@code connect} and
 * {@code accept}: the peer may send at once, and {@link org.panamaverbs.cm.Connection#of} gives the connection to a thread that takes such a
 * message before they return.
 *
 * <p>Every wait has a time limit, and closing an object wakes its waiters. The rules of {@link org.panamaverbs} on null, threads,
 * lifetimes and errors hold here too.
 */
@NullMarked
package org.panamaverbs.cm;

import org.jspecify.annotations.NullMarked;
