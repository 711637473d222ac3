package org.panamaverbs.softiwarp.progress;

import java.util.Arrays;
import java.util.Set;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/**
 * The drivers of a loop, where they are so few that a thread that spins reads from each at once: to ask first which can be read is a call
 * more for each message. All belongs to the loop's leader.
 *
 * <p>Where that goes on for a while the multiplexer no longer watches their channels. What arrives then costs the sender less, as the
 * kernel has nobody to tell. Before anybody waits for events, or as soon as a channel takes no more bytes, they are watched again.
 */
final class DirectReads {
    private static final int MOST_DRIVERS = 2;
    /** How often the multiplexer is asked nevertheless: for new peers, and for tasks and timers. */
    private static final int TURNS_PER_SELECT = 32;
    /** So many turns in a row, some milliseconds, and the channels are watched no more. */
    private static final int TURNS_WATCHED = 4096;

    private final Multiplexer multiplexer;
    /** None where there are too many. */
    private final StreamDriver[] drivers = new StreamDriver[MOST_DRIVERS];
    private int turns;
    /** Turns since somebody waited, or a channel took no more. */
    private int spun;
    private boolean unwatched;

    DirectReads(Multiplexer multiplexer) {
        this.multiplexer = multiplexer;
    }

    /** Takes those of these drivers that it reads from: all or none. */
    void choose(Set<StreamDriver> all) {
        watch();
        if (unwatched) {
            // Those that nobody watches stay, until somebody does; to read from one that is gone does nothing.
            return;
        }
        Arrays.fill(drivers, null);
        if (all.size() <= MOST_DRIVERS) {
            all.toArray(drivers);
        }
    }

    /** Whether a turn is to read from the drivers and do nothing else. A channel that takes no more is one to be told of. */
    boolean isTurn() {
        return drivers[0] != null && !isBlocked() && ++turns % TURNS_PER_SELECT != 0;
    }

    /** How many drivers there are to read from, at most. */
    int size() {
        return MOST_DRIVERS;
    }

    /** One of them, or {@code null}. */
    StreamDriver driver(int index) {
        return drivers[index];
    }

    /** All have been read from; where that has gone on for long they are watched no more. */
    void read() {
        if (spun < TURNS_WATCHED) {
            spun++;
        } else if (!unwatched) {
            unwatched = true;
            for (StreamDriver driver : drivers) {
                if (driver != null) {
                    multiplexer.unwatch(driver.channel());
                }
            }
        }
    }

    private boolean isBlocked() {
        return drivers[0] != null && drivers[0].isBlocked() || drivers[1] != null && drivers[1].isBlocked();
    }

    /**
     * The multiplexer is about to be asked. All channels are watched again where somebody is to wait, or for one of them; those that are
     * not are looked at without.
     *
     * @return {@code false} where some are not: who waits is to look again before long
     */
    boolean prepare(boolean waits) {
        if (waits || isBlocked()) {
            watch();
        }
        for (int i = 0; unwatched && i < MOST_DRIVERS; i++) {
            StreamDriver driver = drivers[i];
            if (driver != null) {
                driver.onReady(driver.isBlocked() ? Multiplexer.READABLE | Multiplexer.WRITABLE : Multiplexer.READABLE);
            }
        }
        return !unwatched;
    }

    /** Has all channels watched again, and what came meanwhile told; where the system has no room for that they stay unwatched. */
    private void watch() {
        spun = 0;
        if (unwatched) {
            boolean all = true;
            for (StreamDriver driver : drivers) {
                all &= driver == null || multiplexer.watch(driver.channel());
            }
            unwatched = !all;
        }
    }
}
