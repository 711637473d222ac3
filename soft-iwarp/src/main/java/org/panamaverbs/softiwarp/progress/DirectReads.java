package org.panamaverbs.softiwarp.progress;

import java.util.Arrays;
import java.util.Set;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/**
 * The connections that a busy-polling thread reads from without asking the multiplexer which of them are readable: that saves one system
 * call per message. A loop does this only while it has very few connections. Everything here belongs to the loop's leader.
 *
 * <p>After some milliseconds of direct reads the multiplexer stops watching their channels. From then on an arriving message costs the
 * sender less, because the kernel has no event to report. The multiplexer watches the channels again before a thread waits for events, or
 * if a channel is blocked.
 */
final class DirectReads {
    private final Multiplexer multiplexer;
    /** All {@code null} if the loop has more connections. */
    private final StreamDriver[] drivers = new StreamDriver[IdlePolicy.DIRECT_READ_DRIVERS];
    private int turns;
    /** Turns of direct reads since the last {@link #watch}. */
    private int spun;
    private boolean unwatched;

    DirectReads(Multiplexer multiplexer) {
        this.multiplexer = multiplexer;
    }

    /** Chooses the drivers to read from: all of these, or none if they are too many or of another kind. */
    void choose(Set<Driver> all) {
        watch();
        if (unwatched) {
            // Drivers whose channels cannot be watched stay here until they can. Reading from a driver that is gone does nothing.
            return;
        }
        Arrays.fill(drivers, null);
        if (all.size() <= drivers.length && all.stream().allMatch(StreamDriver.class::isInstance)) {
            all.toArray(drivers);
        }
    }

    /** Whether the next turn only reads from the drivers. If a channel is blocked, the turn must ask for its event. */
    boolean isTurn() {
        return drivers[0] != null && !isBlocked() && ++turns % IdlePolicy.TURNS_PER_SELECT != 0;
    }

    /** The most drivers to read from. */
    int size() {
        return drivers.length;
    }

    /** A driver to read from, or {@code null}; {@code index} is 0 to {@link #size()} - 1. */
    StreamDriver driver(int index) {
        return drivers[index];
    }

    /** Called after a turn that read from all drivers. After many such turns in a row the multiplexer stops watching the channels. */
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
     * Prepares for a call of the multiplexer: it watches all channels again if the caller will wait or if a channel is blocked. Drivers
     * whose channels it still does not watch are told here that they may be readable.
     *
     * @param waits whether the caller will wait for events
     * @return {@code false} if some channels are not watched: then the caller must not wait for long
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

    /** Makes the multiplexer watch all channels again and report what came meanwhile. Without room in the system they stay unwatched. */
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
