package org.panamaverbs.statistics;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** All counts of an object by their names; as a line, those last that its provider does not have. */
final class CountText {
    private final Map<String, Long> counted = new LinkedHashMap<>();
    private final StringJoiner missing = new StringJoiner(", ", "not counted: ", "").setEmptyValue("");

    CountText add(String name, OptionalLong count) {
        if (count.isPresent()) {
            counted.put(name, count.getAsLong());
        } else {
            missing.add(name);
        }
        return this;
    }

    Map<String, Long> counts() {
        return Collections.unmodifiableMap(counted);
    }

    @Override
    public String toString() {
        String present = counted.entrySet().stream().map(each -> each.getKey() + " " + each.getValue()).collect(Collectors.joining(", "));
        return present + (!present.isEmpty() && missing.length() > 0 ? "; " : "") + missing;
    }
}
