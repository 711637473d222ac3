package org.panamaverbs.tools.shared;

import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How long a command waits for a peer. */
public final class Timeout {
    private static final int LONGEST = 86_400;
    private static final Duration USUAL = Duration.ofSeconds(20);

    @Option(names = "--timeout", paramLabel = "SECONDS", description = "How long the peer may do nothing, and connecting may take. Default: 20; 600 for ping --listen.")
    private Integer seconds;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    public Duration duration() {
        return duration(USUAL);
    }

    /** @param usual if the option is not given */
    public Duration duration(Duration usual) {
        if (seconds == null) {
            return usual;
        }
        if (seconds < 1 || seconds > LONGEST) {
            throw new ParameterException(command.commandLine(), "--timeout is 1 to " + LONGEST + " seconds, not " + seconds);
        }
        return Duration.ofSeconds(seconds);
    }

    /** The same as an argument, for a process of our own at the other end. */
    public String argument() {
        return "--timeout=" + duration().toSeconds();
    }
}
