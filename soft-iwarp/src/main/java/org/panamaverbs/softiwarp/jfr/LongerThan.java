package org.panamaverbs.softiwarp.jfr;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import jdk.jfr.SettingControl;

/** The setting of {@link SlowOperation}: a number and its unit, as in {@code 20 ms}. Of several recordings, the shortest time counts. */
public final class LongerThan extends SettingControl {
    private static final String DEFAULT = "20 ms";
    private static final Map<String, TimeUnit> UNITS = Map.of("ns", TimeUnit.NANOSECONDS, "us", TimeUnit.MICROSECONDS, "ms",
            TimeUnit.MILLISECONDS, "s", TimeUnit.SECONDS, "m", TimeUnit.MINUTES);

    private static volatile long nanos = parse(DEFAULT);

    private String value = DEFAULT;

    /** For the Flight Recorder. */
    public LongerThan() {
        // The Flight Recorder makes an object of this class for the event.
    }

    static boolean isExceededBy(long took) {
        return took >= nanos;
    }

    /** Nanoseconds. An invalid text counts as the default, since the Flight Recorder reports no errors of settings. */
    static long parse(String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        int digits = 0;
        while (digits < lower.length() && Character.isDigit(lower.charAt(digits))) {
            digits++;
        }
        TimeUnit unit = UNITS.get(lower.substring(digits).strip());
        if (unit == null || digits == 0 || digits > 9) {
            return TimeUnit.MILLISECONDS.toNanos(20);
        }
        return unit.toNanos(Long.parseLong(lower.substring(0, digits)));
    }

    @Override
    public String combine(Set<String> values) {
        String shortest = null;
        for (String each : values) {
            if (shortest == null || parse(each) < parse(shortest)) {
                shortest = each;
            }
        }
        return shortest == null ? DEFAULT : shortest;
    }

    @Override
    public void setValue(String text) {
        value = text;
        nanos = parse(text);
    }

    @Override
    public String getValue() {
        return value;
    }
}
