package org.panamaverbs.tools.shared;

import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The text of an argument on its way to a value. If the text is none, that is an error of the command line, and the message names the
 * option. An {@link IllegalArgumentException} from elsewhere is not: a peer, or a defect, may be its cause.
 */
public final class Argument {
    private Argument() {
    }

    /**
     * Parses the text of an option.
     *
     * @param option its name
     * @param parser throws {@link IllegalArgumentException} if the text is no value
     */
    public static <T> T of(CommandSpec command, String option, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), option + ": " + e.getMessage(), e);
        }
    }

    /** The same for a value whose parser names the argument itself. */
    public static <T> T checked(CommandSpec command, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }
}
