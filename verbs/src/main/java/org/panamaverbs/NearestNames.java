package org.panamaverbs;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The names that resemble a misspelt one. A name is a section, a separator and a key: {@code softiwarp.crc},
 * {@code SOFTIWARP_CRC}. Names of the API itself have no section. A key may be wrong in two characters, or in a third of them; a key in the
 * wrong section, or without one, resembles the key in its section.
 *
 * @param separator between section and key
 * @param names     the names, without the start that all have
 */
record NearestNames(char separator, Collection<String> names) {
    private static final int MOST = 3;

    /** Whether one of the names has the section of this one. */
    boolean hasSectionOf(String name) {
        String section = section(name);
        return names.stream().anyMatch(other -> section(other).equals(section));
    }

    /**
     * The question that ends a message.
     *
     * @param start the start that all names have
     * @return "; did you mean ...?", or nothing if no name resembles this one
     */
    String question(String start, String name) {
        String similar = names.stream().filter(other -> resemble(name, other))
                .sorted(Comparator.comparingInt((String other) -> distance(name, other)).thenComparing(Comparator.naturalOrder()))
                .limit(MOST).map(start::concat).collect(Collectors.joining(" or "));
        return similar.isEmpty() ? "" : "; did you mean " + similar + "?";
    }

    private boolean resemble(String name, String other) {
        int most = Math.max(2, key(name).length() / 3);
        return distance(name, other) <= most || hasSectionOf(name) && distance(key(name), key(other)) <= most;
    }

    private String section(String name) {
        return name.substring(0, name.indexOf(separator) + 1);
    }

    private String key(String name) {
        return name.substring(name.indexOf(separator) + 1);
    }

    /** How many characters one must insert, delete, replace, or swap with the next one. */
    static int distance(String first, String second) {
        String a = first.toLowerCase(Locale.ROOT);
        String b = second.toLowerCase(Locale.ROOT);
        int[][] of = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    of[i][j] = i + j;
                    continue;
                }
                int replaced = of[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                of[i][j] = Math.min(replaced, Math.min(of[i - 1][j], of[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    of[i][j] = Math.min(of[i][j], of[i - 2][j - 2] + 1);
                }
            }
        }
        return of[a.length()][b.length()];
    }
}
