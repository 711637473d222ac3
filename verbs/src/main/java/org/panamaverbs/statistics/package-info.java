/**
 * Snapshots of what providers count: of devices, queue pairs and completion queues, and of registered memory with its holders.
 *
 * <p>A count begins at 0 when its object is made, and only grows. It may be slightly older than the call that reads it, unless the thread
 * has polled the completion of what it counts. <b>A count that a provider does not have is empty</b>, and {@code describe()} lists it as
 * not counted. Counting costs nothing that the path of requests and completions would show; reading allocates.
 */
@NullMarked
package org.panamaverbs.statistics;

import org.jspecify.annotations.NullMarked;
