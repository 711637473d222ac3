package org.panamaverbs.softiwarp.transport;

import java.util.Arrays;
import java.util.Set;

/**
 * The links of a loop, where they are so few that a thread that spins reads from each at once: to ask first which can be read is a call
 * more for each message. All belongs to the loop's leader.
 *
 * <p>Where that goes on for a while the multiplexer no longer watches their channels. What arrives then costs the sender less, as the
 * kernel has nobody to tell. Before anybody waits for events, or as soon as a channel takes no more bytes, they are watched again.
 */
final class Probes {
    private static final int MOST_LINKS = 2;
    /** How often the multiplexer is asked nevertheless: for new peers, and for tasks and timers. */
    private static final int TURNS_PER_SELECT = 32;
    /** So many turns in a row, some milliseconds, and the channels are watched no more. */
    private static final int TURNS_WATCHED = 4096;

    private final Multiplexer multiplexer;
    /** None where there are too many. */
    private final Link[] links = new Link[MOST_LINKS];
    private int turns;
    private boolean unwatched;

    Probes(Multiplexer multiplexer) {
        this.multiplexer = multiplexer;
    }

    /** Takes those of these links that it reads from: all or none. */
    void choose(Set<Link> all) {
        if (!watch()) {
            // Those that nobody watches stay, until somebody does; to read from one that is gone does nothing.
            return;
        }
        Arrays.fill(links, null);
        if (all.size() <= MOST_LINKS) {
            all.toArray(links);
        }
    }

    /** Whether a turn is to read from the links and do nothing else. */
    boolean isTurn() {
        return links[0] != null && ++turns % TURNS_PER_SELECT != 0;
    }

    /** How many links there are to read from, at most. */
    int size() {
        return MOST_LINKS;
    }

    /** One of them, or {@code null}. */
    Link link(int index) {
        return links[index];
    }

    /** All have been read from; where that has gone on for long they are watched no more. */
    void read() {
        if (isBlocked(links[0]) || isBlocked(links[1])) {
            watch();
        } else if (turns >= TURNS_WATCHED && !unwatched) {
            unwatched = true;
            for (Link link : links) {
                if (link != null) {
                    multiplexer.unwatch(link.channel());
                }
            }
        }
    }

    private static boolean isBlocked(Link link) {
        return link != null && link.isBlocked();
    }

    /** Has the links looked at in a turn that does more than read from them: nobody tells of what they have. */
    void tellUnwatched() {
        for (int i = 0; unwatched && i < MOST_LINKS; i++) {
            Link link = links[i];
            if (link != null) {
                link.onReady(link.isBlocked() ? Multiplexer.READABLE | Multiplexer.WRITABLE : Multiplexer.READABLE);
            }
        }
    }

    /**
     * Somebody is about to wait: all channels are watched again, and what came meanwhile is told.
     *
     * @return {@code false} where some cannot be watched now: who waits looks at them itself before long, and tries again
     */
    boolean watch() {
        turns = 0;
        if (unwatched) {
            boolean all = true;
            for (Link link : links) {
                all &= link == null || multiplexer.watch(link.channel());
            }
            unwatched = !all;
        }
        return !unwatched;
    }
}
