package org.panamaverbs;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * One thing that can be configured: its name, its meaning, its default, and how its text becomes a value.
 *
 * @param name         the full name, {@code panamaverbs.} included
 * @param defaultText  the text that counts if no source sets another
 * @param values       the values that it takes, in words, for help and error messages
 * @param description  its effect, one sentence
 * @param parser       makes the value of the text; throws {@link IllegalArgumentException} on a text that it does not take
 * @param <T>          the value's type
 */
public record Setting<T>(String name, String defaultText, String values, String description, Function<String, T> parser) {
    /** The start of every setting's name. */
    public static final String PREFIX = "panamaverbs.";

    /** Checks the name and the default. */
    public Setting {
        if (!name.startsWith(PREFIX)) {
            throw new IllegalArgumentException("setting \"" + name + "\" must start with " + PREFIX);
        }
        var _ = parser.apply(defaultText);
    }

    /**
     * A setting that takes one of a few words.
     *
     * @param name         the full name
     * @param defaultText  one of the choices
     * @param description  its effect
     * @param choices      the words, in lower case
     * @return the setting
     */
    public static Setting<String> choice(String name, String defaultText, String description, String... choices) {
        List<String> allowed = List.of(choices);
        return new Setting<>(name, defaultText, String.join(" | ", allowed), description, text -> {
            if (!allowed.contains(text)) {
                throw new IllegalArgumentException("is not one of " + String.join(", ", allowed));
            }
            return text;
        });
    }

    /**
     * A setting that is on or off.
     *
     * @param name         the full name
     * @param defaultValue its default
     * @param description  its effect when on
     * @return the setting
     */
    public static Setting<Boolean> flag(String name, boolean defaultValue, String description) {
        return new Setting<>(name, defaultValue ? "on" : "off", "on | off", description, text -> switch (text) {
            case "on", "true" -> true;
            case "off", "false" -> false;
            default -> throw new IllegalArgumentException("is neither on nor off");
        });
    }

    /**
     * A setting that takes a whole number.
     *
     * @param name         the full name
     * @param defaultValue its default
     * @param minimum      the least value
     * @param maximum      the greatest value
     * @param description  its effect, with its unit
     * @return the setting
     */
    public static Setting<Integer> integer(String name, int defaultValue, int minimum, int maximum, String description) {
        return new Setting<>(name, Integer.toString(defaultValue), minimum + " to " + maximum, description, text -> {
            int value;
            try {
                value = Integer.parseInt(text);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("is not a whole number", e);
            }
            if (value < minimum || value > maximum) {
                throw new IllegalArgumentException("is not between " + minimum + " and " + maximum);
            }
            return value;
        });
    }

    /**
     * A setting that takes any text.
     *
     * @param name         the full name
     * @param defaultText  its default
     * @param values       the values that it takes, in words
     * @param description  its effect
     * @return the setting
     */
    public static Setting<String> text(String name, String defaultText, String values, String description) {
        return new Setting<>(name, defaultText, values, description, Objects::requireNonNull);
    }

    /**
     * The name of the environment variable that sets it: upper case, dots and hyphens as underscores.
     *
     * @return for {@code panamaverbs.softiwarp.transport} it is {@code PANAMAVERBS_SOFTIWARP_TRANSPORT}
     */
    public String environmentName() {
        return name.toUpperCase(java.util.Locale.ROOT).replace('.', '_').replace('-', '_');
    }
}
