package org.panamaverbs.compare;

import java.util.Locale;

/**
 * The bound that a figure is to reach.
 *
 * @param value   the bound itself counts as reached
 * @param atLeast whether more is better; else less is
 */
record Bound(double value, boolean atLeast) {
    static Bound atLeast(double value) {
        return new Bound(value, true);
    }

    static Bound atMost(double value) {
        return new Bound(value, false);
    }

    /** Of a figure that is shown and has nothing to reach. */
    static Bound none() {
        return atLeast(0);
    }

    boolean isReachedBy(double figure) {
        return atLeast ? figure >= value : figure <= value;
    }

    /** As "at least 0.9", or "none". */
    String text() {
        if (atLeast && value == 0) {
            return "none";
        }
        String number = value == Math.rint(value) ? String.format(Locale.ROOT, "%.0f", value) : Double.toString(value);
        return (atLeast ? "at least " : "at most ") + number;
    }
}
