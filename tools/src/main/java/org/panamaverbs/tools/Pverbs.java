package org.panamaverbs.tools;

import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.tools.copy.CopyCommand;
import org.panamaverbs.tools.copy.ServeCommand;
import org.panamaverbs.tools.perf.PerfCommand;
import org.panamaverbs.tools.ping.PingCommand;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Printable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line. What goes wrong is one line on standard error; the exit status is 0, 1 (failed) or 2 (not understood). */
@Command(name = "pverbs", mixinStandardHelpOptions = true, version = "panama-verbs 0.1.0-SNAPSHOT", description = "RDMA verbs from the command line: over a device, or over soft-iWARP where there is none.", subcommands = {
        DevicesCommand.class, ConfigCommand.class, PerfCommand.class, PingCommand.class, ServeCommand.class,
        CopyCommand.class })
public final class Pverbs implements Runnable {
    /** Set to anything, it shows where an error came from. */
    private static final String TRACE = "PVERBS_TRACE";

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do: one of " + String.join(", ", spec.subcommands().keySet()));
    }

    /** Runs a command and ends the process with its status. */
    public static void main(String[] arguments) {
        System.exit(commandLine(System.err).execute(arguments));
    }

    /** The commands, with errors going to a stream. */
    static CommandLine commandLine(PrintStream errors) {
        CommandLine commandLine = new CommandLine(new Pverbs());
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUsageHelpAutoWidth(true);
        commandLine.setParameterExceptionHandler((exception, ignored) -> {
            String name = exception.getCommandLine().getCommandSpec().qualifiedName();
            errors.println("pverbs: " + exception.getMessage() + " (" + name + " --help tells more)");
            return CommandLine.ExitCode.USAGE;
        });
        commandLine.setExecutionExceptionHandler((exception, ignored, parsed) -> {
            if (System.getenv(TRACE) != null) {
                exception.printStackTrace(errors);
            }
            errors.println("pverbs: " + message(exception));
            return CommandLine.ExitCode.SOFTWARE;
        });
        return commandLine;
    }

    /** One line for whoever reads it at a terminal; a peer's text in it may be anything. */
    static String message(Throwable exception) {
        return Printable.of(line(exception));
    }

    private static String line(Throwable exception) {
        if (exception instanceof UncheckedIOException unchecked) {
            return line(unchecked.getCause());
        }
        if (exception instanceof FileSystemException failed) {
            return failed.getFile() + ": " + reason(failed);
        }
        boolean expected = exception instanceof Failure || exception instanceof VerbsException
                || exception instanceof IllegalArgumentException || exception instanceof java.io.IOException;
        String message = exception.getMessage();
        if (expected && message != null) {
            return message.lines().findFirst().orElse("");
        }
        return "an error of the program itself: " + exception + " (set " + TRACE + "=1 to see where)";
    }

    private static String reason(FileSystemException failed) {
        return switch (failed) {
            case NoSuchFileException e -> "no such file or directory";
            case AccessDeniedException e -> "permission denied";
            case NotDirectoryException e -> "not a directory";
            case DirectoryNotEmptyException e -> "is a directory with files in it";
            case FileAlreadyExistsException e -> "is there already";
            default -> failed.getReason() == null ? "failed (" + failed.getClass().getSimpleName() + ")" : failed.getReason();
        };
    }
}
