package org.panamaverbs.spi;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.panamaverbs.statistics.DistinctError;

/**
 * Keeps errors distinct: messages that differ in the number of a port alone are one error with a count, as a peer that comes back again and
 * again has another port each time. Any thread may call any method; an error costs a look-up.
 */
final class ErrorLog {
    /** The most distinct errors; all further ones are one. Peers cause errors, and must not fill the memory. */
    static final int MOST = 64;
    static final String OTHERS = "other errors; the last: ";
    private static final int LONGEST = 1000;
    private static final Pattern PORT = Pattern.compile(":\\d{1,5}\\b");

    private final Map<String, DistinctError> errors = new LinkedHashMap<>();

    synchronized void add(String message, Instant time) {
        String text = message.length() > LONGEST ? message.substring(0, LONGEST) : message;
        String key = PORT.matcher(text).replaceAll(":*");
        if (!errors.containsKey(key) && errors.size() >= MOST) {
            key = OTHERS;
            text = OTHERS + text;
        }
        String last = text;
        errors.merge(key, new DistinctError(last, 1, time, time),
                (before, _) -> new DistinctError(last, before.count() + 1, before.first(), time));
    }

    /** Those that came last first. */
    synchronized List<DistinctError> list() {
        List<DistinctError> list = new ArrayList<>(errors.values());
        list.sort(Comparator.comparing(DistinctError::last).reversed());
        return List.copyOf(list);
    }
}
