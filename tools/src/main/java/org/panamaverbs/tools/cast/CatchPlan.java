package org.panamaverbs.tools.cast;

import java.util.concurrent.TimeUnit;
import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.tools.files.MappedFile;

/**
 * The content to catch, and its place.
 *
 * @param url      the place to listen at
 * @param stag     of the file
 * @param id       of the notification
 * @param options  of the sockets
 * @param idle     how many nanoseconds without a message end it, once one came
 * @param repair   whether to report holes to the sender
 * @param file     the target
 * @param console  of the user
 */
record CatchPlan(CastUrl url, int stag, int id, DdpOptions options, long idle, boolean repair, MappedFile file, CatchConsole console) {
    /** How long a thread waits at most before it looks what was placed meanwhile. */
    static final long TICK = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * The end of a catch.
     *
     * @param notified whether the notification came
     * @param counters of all sockets
     * @param repair   {@code null} without repair
     * @param checksum with repair: of the file, if it is whole
     */
    record Caught(boolean notified, DdpCounters counters, RepairReceiver repair, int checksum) {
    }
}
