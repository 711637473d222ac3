package org.panamaverbs.compare;

import java.util.Collection;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A line of the table: the bound for ours beside theirs, or, if there is nothing beside it, by itself.
 *
 * @param id            short, for the command line and {@code results.json}
 * @param work          that is done
 * @param against       the other side, in words
 * @param ours          the subject that is measured
 * @param theirs        the subject that ours is divided by; {@code null} if ours is a figure by itself
 * @param metric        the one of their values that is compared
 * @param reach         the bound that the ratio, or the figure, is to reach
 * @param test          whether it is the same on every machine, however fast, and the run fails if it is missed
 */
record Comparison(String id, String work, String against, Subject ours, Subject theirs, Metric metric, Bound reach, boolean test) {
    static Comparison ratio(String id, String work, Subject ours, Subject theirs, Metric metric, Bound reach) {
        return new Comparison(id, work, theirs.name(), ours, theirs, metric, reach, false);
    }

    /** A figure by itself, which is the same on every machine. */
    static Comparison test(String id, String work, Subject ours, Metric metric, Bound reach) {
        return new Comparison(id, work, "", ours, null, metric, reach, true);
    }

    /** Whether a text chooses this one among all: by its id, or, if it is nobody's id, as a part of the id, the work or the other side. */
    boolean isMeantBy(String text, Collection<Comparison> all) {
        if (all.stream().anyMatch(each -> each.id.equals(text))) {
            return id.equals(text);
        }
        String wanted = text.toLowerCase(Locale.ROOT);
        return Stream.of(id, work, against).anyMatch(part -> part.toLowerCase(Locale.ROOT).contains(wanted));
    }

    /** The one of the two peers that cannot be measured, or {@code null}. */
    Peer missing() {
        if (!ours.peer().isPresent()) {
            return ours.peer();
        }
        return theirs == null || theirs.peer().isPresent() ? null : theirs.peer();
    }
}
