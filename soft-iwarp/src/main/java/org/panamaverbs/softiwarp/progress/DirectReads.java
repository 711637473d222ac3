package org.panamaverbs.softiwarp.progress;

import java.util.Arrays;
import java.util.Set;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/**
 * The connections of a loop, if they are so few that a thread that busy-polls reads from each of them at once: to ask first which can be
 * read costs one call more for each message. All belongs to the loop's leader.
 *
 * <p>After some milliseconds of that the multiplexer stops watching their channels. From then on an arriving message costs the sender less,
 * since the kernel notifies nobody. The multiplexer watches them again before a thread waits for events, or if a channel is blocked.
 */
final class DirectReads {
    private final Multiplexer multiplexer;
    /** None where there are too many. */
    private final StreamDriver[] drivers = new StreamDriver[IdlePolicy.DIRECT_READ_DRIVERS];
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
        if (all.size() <= drivers.length) {
            all.toArray(drivers);
        }
    }

    /** Whether a turn is to read from the drivers and do nothing else. A blocked channel needs its event. */
    boolean isTurn() {
        return drivers[0] != null && !isBlocked() && ++turns % IdlePolicy.TURNS_PER_SELECT != 0;
    }

    /** How many drivers there are to read from, at most. */
    int size() {
        return drivers.length;
    }

    /** One of them, or {@code null}. */
    StreamDriver driver(int index) {
        return drivers[index];
    }

    /** All have been read from; after many such turns in a row they are watched no more. */
    void onTurn() {
        if (spun < IdlePolicy.TURNS_WATCHED) {
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
        for (int i = 0; unwatched && i < drivers.length; i++) {
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
