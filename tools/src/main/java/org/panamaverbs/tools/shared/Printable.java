package org.panamaverbs.tools.shared;

/**
 * Text of a peer as a terminal may show it. Characters that steer the terminal, hide or reorder others (controls, formats), or that nobody
 * can know (unassigned ones) are written as their numbers, as in <code>&#92;u{9b}</code>.
 */
public final class Printable {
    private Printable() {
    }

    /** Whether a terminal may show all of a text as it is. */
    public static boolean is(String text) {
        return text.codePoints().allMatch(Printable::is);
    }

    /** The text, with numbers in place of what a terminal may not show; of a text that came from here, the same. */
    public static String of(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(each -> {
            if (is(each)) {
                shown.appendCodePoint(each);
            } else {
                shown.append("\\u{").append(Integer.toHexString(each)).append('}');
            }
        });
        return shown.toString();
    }

    private static boolean is(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.FORMAT, Character.UNASSIGNED, Character.SURROGATE, Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                false;
            default -> true;
        };
    }
}
