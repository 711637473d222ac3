package org.panamaverbs.tools.shared;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of bytes and rates, as people write them. */
public final class Quantity {
    private static final Pattern BYTES = Pattern.compile("(\\d{1,19})\\s*(|b|[kmgtpe](?:ib)?)", Pattern.CASE_INSENSITIVE);

    private Quantity() {
    }

    /**
     * A number of bytes of a text such as 64, 64KiB, 1m or 3GiB; the units are powers of 1024.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static long bytes(String text) {
        Matcher matcher = BYTES.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is not a number of bytes, such as 64, 64KiB, 1MiB or 3GiB");
        }
        String unit = matcher.group(2).toLowerCase(Locale.ROOT);
        // The bytes themselves, with or without b, are at 0.
        int shift = unit.isEmpty() ? 0 : 10 * "bkmgtpe".indexOf(unit.charAt(0));
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" is more bytes than 64 bits count", e);
        }
    }

    /**
     * A number of bytes per second of a text such as 100MiB/s or 100MiB.
     *
     * @throws IllegalArgumentException if it is none, or 0
     */
    public static long rate(String text) {
        long rate = bytes(text.endsWith("/s") ? text.substring(0, text.length() - 2) : text);
        if (rate == 0) {
            throw new IllegalArgumentException("a rate is 1 byte per second or more, such as 100MiB/s");
        }
        return rate;
    }

    /** The shortest exact text: 64, 64KiB, 1MiB; else with one decimal. */
    public static String text(long bytes) {
        if (bytes < 1024) {
            return Long.toString(bytes);
        }
        String[] units = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
        int unit = Math.min((63 - Long.numberOfLeadingZeros(bytes)) / 10, units.length);
        long scale = 1L << 10 * unit;
        return bytes % scale == 0 ? bytes / scale + units[unit - 1]
                : String.format(Locale.ROOT, "%.1f%s", (double) bytes / scale, units[unit - 1]);
    }

    /**
     * The share that was placed directly in per cent, never rounded up to 100; "-" if it is less than 1 %, as it is of small messages and
     * of mapped files under CRCs.
     */
    public static String directShare(long direct, long whole) {
        if (direct < whole / 100.0 || whole == 0) {
            return "-";
        }
        return String.format(Locale.ROOT, "%.1f%%", Math.floor(1000.0 * direct / whole) / 10);
    }

    /** The words about that share behind other results; empty if it is less than 1 %. */
    public static String placedDirectly(long direct, long whole) {
        String share = directShare(direct, whole);
        return share.equals("-") ? "" : "; " + share + " placed directly";
    }
}
