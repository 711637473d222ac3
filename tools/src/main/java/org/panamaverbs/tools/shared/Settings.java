package org.panamaverbs.tools.shared;

import java.util.LinkedHashMap;
import java.util.Map;
import org.panamaverbs.Configuration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The settings of a command line, each with the option that gave it. */
public final class Settings {
    private static final String SET = "--set";

    private final Map<String, String> texts = new LinkedHashMap<>();
    private final Map<String, String> options = new LinkedHashMap<>();

    /** @param given the arguments of {@code --set} */
    public Settings(Map<String, String> given) {
        given.forEach((name, value) -> put(name, value == null ? "" : value, SET));
    }

    /** Replaces a setting by that of another option. */
    public void put(String name, String text, String option) {
        texts.put(name, text);
        options.put(name, option);
    }

    public Map<String, String> texts() {
        return texts;
    }

    /**
     * All settings together with those of the other sources.
     *
     * @throws ParameterException if a setting is unknown, or does not take its value
     */
    public Configuration configuration(CommandSpec command) {
        Configuration.Builder builder = Configuration.builder();
        texts.forEach(builder::set);
        try {
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), inTheUsersWords(e.getMessage()), e);
        }
    }

    /** The message names the source of a setting. Of ours that is the builder, which the user does not know. */
    private String inTheUsersWords(String message) {
        String text = message;
        for (Map.Entry<String, String> option : options.entrySet()) {
            for (String begin : new String[] { "setting " + option.getKey(), "unknown setting \"" + option.getKey() + "\"" }) {
                String builder = begin + " (builder)";
                if (text.startsWith(builder)) {
                    text = begin + " (" + option.getValue() + ")" + text.substring(builder.length());
                }
            }
        }
        return text;
    }
}
