package org.panamaverbs.tools.shared;

/**
 * Text of a peer as a terminal may show it. Characters that steer the terminal (controls), hide or reorder others (formats, separators of
 * lines and paragraphs), or have no meaning that all terminals know (private and unassigned ones, halves of surrogate pairs) are written as
 * their numbers, as in <code>&#92;u{9b}</code>: all of Unicode's categories Cc, Cf, Co, Cs, Cn, Zl and Zp.
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
            case Character.CONTROL, Character.FORMAT, Character.PRIVATE_USE, Character.SURROGATE, Character.UNASSIGNED,
                    Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                false;
            default -> true;
        };
    }
}
