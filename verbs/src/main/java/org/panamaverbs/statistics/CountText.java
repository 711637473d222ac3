package org.panamaverbs.statistics;

import java.util.OptionalLong;
import java.util.StringJoiner;

/** One line with all counts of an object by their names, those last that its provider does not have. */
final class CountText {
    private final StringJoiner counted = new StringJoiner(", ");
    private final StringJoiner missing = new StringJoiner(", ", "not counted: ", "").setEmptyValue("");

    CountText add(String name, OptionalLong count) {
        if (count.isPresent()) {
            counted.add(name + " " + count.getAsLong());
        } else {
            missing.add(name);
        }
        return this;
    }

    @Override
    public String toString() {
        return counted + (counted.length() > 0 && missing.length() > 0 ? "; " : "") + missing;
    }
}
