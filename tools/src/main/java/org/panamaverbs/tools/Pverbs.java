package org.panamaverbs.tools;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.panamaverbs.ClosedException;
import org.panamaverbs.NoProviderException;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueueFullException;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.tools.capture.CaptureCommand;
import org.panamaverbs.tools.cast.CastCommand;
import org.panamaverbs.tools.cast.CatchCommand;
import org.panamaverbs.tools.copy.CopyCommand;
import org.panamaverbs.tools.copy.ServeCommand;
import org.panamaverbs.tools.decode.DecodeCommand;
import org.panamaverbs.tools.doctor.DoctorCommand;
import org.panamaverbs.tools.nfs.NfsCommand;
import org.panamaverbs.tools.perf.PerfCommand;
import org.panamaverbs.tools.ping.PingCommand;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.Printable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line. An error is one line on standard error, with {@code --json} also an object on standard output; the exit status is 0, 1
 * (failed) or 2 (not understood). */
@Command(name = "pverbs", mixinStandardHelpOptions = true, version = "panama-verbs 0.1.0-SNAPSHOT", description = "RDMA verbs from the command line: over a device, or over soft-iWARP where there is none.")
public final class Pverbs implements Runnable {
    private static final List<Class<?>> COMMANDS = List.of(DevicesCommand.class, DoctorCommand.class, StatCommand.class,
            ConfigCommand.class, PerfCommand.class, PingCommand.class, ServeCommand.class, CopyCommand.class, CastCommand.class,
            CatchCommand.class, NfsCommand.class, CaptureCommand.class, DecodeCommand.class);
    /** Set to anything, it shows where an error came from. */
    private static final String TRACE = "PVERBS_TRACE";
    private static final String JSON = "--json";
    private static final String TIMEOUT = "--timeout";

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do: one of " + String.join(", ", spec.subcommands().keySet()));
    }

    /** Runs a command and ends the process with its status. */
    public static void main(String[] arguments) {
        ProgramLog.install(System.err);
        System.exit(execute(new FileOutputStream(FileDescriptor.out), System.err, arguments));
    }

    /** Runs a command; returns its status, or 1 if not all of its output could be written. */
    static int execute(OutputStream output, PrintStream errors, String... arguments) {
        StandardOutput out = new StandardOutput(output);
        CommandLine commandLine = commandLine(errors, arguments);
        commandLine.setOut(new PrintWriter(out, true, System.out.charset()));
        int status = commandLine.execute(arguments);
        commandLine.getOut().flush();
        if (out.failure().isEmpty()) {
            return status;
        }
        errors.println("pverbs: standard output cannot be written: " + out.failure().get());
        return status == CommandLine.ExitCode.OK ? CommandLine.ExitCode.SOFTWARE : status;
    }

    /** The commands that the arguments may mean, with errors going to a stream. */
    static CommandLine commandLine(PrintStream errors, String... arguments) {
        CommandLine commandLine = new CommandLine(new Pverbs());
        commands(arguments).forEach(commandLine::addSubcommand);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUsageHelpAutoWidth(true);
        commandLine.setExecutionStrategy(Pverbs::run);
        commandLine.setParameterExceptionHandler((exception, words) -> {
            CommandSpec command = exception.getCommandLine().getCommandSpec();
            String message = exception instanceof UnmatchedArgumentException unmatched ? message(command, unmatched) : message(exception);
            if (isJson(command, List.of(words))) {
                printError(commandLine, command, message, "usage");
            }
            errors.println("pverbs: " + message + " (" + command.qualifiedName() + " --help tells more)");
            return CommandLine.ExitCode.USAGE;
        });
        commandLine.setExecutionExceptionHandler((exception, command, parsed) -> {
            if (System.getenv(TRACE) != null) {
                errors.print(trace(exception));
            }
            String message = message(exception)
                    + (exception instanceof VerbsTimeoutException && command.getCommandSpec().optionsMap().containsKey(TIMEOUT)
                            ? "; " + TIMEOUT + " waits longer" : "");
            if (isJson(command.getCommandSpec(), parsed.originalArgs())) {
                printError(commandLine, command.getCommandSpec(), message, kind(exception));
            }
            errors.println("pverbs: " + message);
            return CommandLine.ExitCode.SOFTWARE;
        });
        return commandLine;
    }

    /** Picocli reads each option of a command by reflection, a large part of a short run, so a run has no command that it does not need. */
    private static List<Class<?>> commands(String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        if (first.equals("--version") || first.equals("-V")) {
            return List.of();
        }
        List<Class<?>> named = COMMANDS.stream().filter(command -> command.getAnnotation(Command.class).name().equals(first)).toList();
        return named.isEmpty() ? COMMANDS : named;
    }

    /** If the argument stands for a command, with all commands, and those first that resemble it most. */
    private static String message(CommandSpec command, UnmatchedArgumentException exception) {
        String argument = exception.getUnmatched().getFirst();
        if (command.subcommands().isEmpty() || exception.isUnknownOption()) {
            return message(exception) + (command.userObject() instanceof CaptureCommand ? CaptureCommand.CURE : "");
        }
        String names = command.subcommands().keySet().stream().sorted(Comparator.comparingInt(name -> strangeLetters(argument, name)))
                .collect(Collectors.joining(", "));
        return Printable.of("there is no command \"" + argument + "\"; take " + names);
    }

    /** How many letters one word has and the other lacks: 0 for letters in another order. */
    private static int strangeLetters(String one, String other) {
        StringBuilder rest = new StringBuilder(other);
        int strange = 0;
        for (int i = 0; i < one.length(); i++) {
            int at = rest.indexOf(one.substring(i, i + 1));
            if (at < 0) {
                strange++;
            } else {
                rest.deleteCharAt(at);
            }
        }
        return strange + rest.length();
    }

    /** Runs the command. If memory runs out, that is an error like any other. */
    private static int run(CommandLine.ParseResult parsed) {
        try {
            return new CommandLine.RunLast().execute(parsed);
        } catch (OutOfMemoryError e) {
            throw new CommandLine.ExecutionException(parsed.asCommandLineList().getLast(), "",
                    new ResourceException(
                            "there is not enough memory: " + e.getMessage()
                                    + "; -Xmx in JAVA_TOOL_OPTIONS allows a larger heap, -XX:MaxDirectMemorySize more memory outside of it",
                            e));
        }
    }

    /** Whether a command shall print an object. Arguments of the program that {@code capture} runs do not count. */
    private static boolean isJson(CommandSpec command, List<String> arguments) {
        return !(command.userObject() instanceof CaptureCommand)
                && arguments.stream().takeWhile(each -> !each.equals("--")).anyMatch(JSON::equals);
    }

    private static void printError(CommandLine commandLine, CommandSpec command, String message, String kind) {
        commandLine.getOut().println(Json.line(Json.error(schema(command), message, kind)));
        commandLine.getOut().flush();
    }

    /** The name of a command; of one below another, both: nfs-get. */
    private static String schema(CommandSpec command) {
        return command.parent() == null ? command.name() : command.qualifiedName("-").substring(command.root().name().length() + 1);
    }

    /** One line for the user at a terminal; a peer's text in it may be anything. */
    static String message(Throwable exception) {
        return Printable.of(line(exception));
    }

    /** The same with all causes and where they arose. */
    static String trace(Throwable exception) {
        StringWriter trace = new StringWriter();
        exception.printStackTrace(new PrintWriter(trace));
        return trace.toString().lines().map(line -> Printable.of(line.replace("\t", "    ")) + System.lineSeparator())
                .collect(Collectors.joining());
    }

    /** The kind of an error, by the party at fault, in one word (docs/reference/pverbs.md). */
    static String kind(Throwable exception) {
        return switch (exception) {
            case UncheckedIOException unchecked -> kind(unchecked.getCause());
            case Failure failure -> failure.kind().name().toLowerCase(Locale.ROOT);
            case RejectedException _ -> "refused";
            case PeerException _ -> "peer";
            case VerbsTimeoutException _ -> "timeout";
            case ResourceException _ -> "resource";
            case QueueFullException _ -> "resource";
            case SystemException _ -> "system";
            case UnsupportedVerbException _ -> "unsupported";
            case NoProviderException _ -> "provider";
            case ClosedException _ -> "closed";
            case IOException _ -> "file";
            case ParameterException _ -> "usage";
            case IllegalArgumentException _ -> "usage";
            default -> "internal";
        };
    }

    private static String line(Throwable exception) {
        if (exception instanceof UncheckedIOException unchecked) {
            return line(unchecked);
        }
        if (exception instanceof FileSystemException failed) {
            return failed.getFile() + ": " + reason(failed);
        }
        if (exception instanceof RejectedException rejected) {
            return rejected.getMessage() + said(rejected.privateData());
        }
        boolean expected = exception instanceof Failure || exception instanceof ParameterException || exception instanceof VerbsException
                || exception instanceof IllegalArgumentException || exception instanceof java.io.IOException;
        String message = exception.getMessage();
        if (expected && message != null) {
            return message.lines().findFirst().orElse("");
        }
        return "an error of the program itself: " + exception + " (set " + TRACE + "=1 to see where)";
    }

    /** The exception's own words, unless it has none; they end with those of its cause, and of a file's error these are only its name. */
    private static String line(UncheckedIOException exception) {
        IOException cause = exception.getCause();
        String message = exception.getMessage();
        if (message == null || message.equals(cause.toString())) {
            return line((Throwable) cause);
        }
        String words = String.valueOf(cause.getMessage());
        String whole = cause instanceof FileSystemException failed && message.endsWith(words)
                ? message.substring(0, message.length() - words.length()) + reason(failed) : message;
        return whole.lines().findFirst().orElse("");
    }

    /** The reason that a program of ours gives; another one's private data may be anything. Devices fill it up with zeros. */
    private static String said(byte[] privateData) {
        int end = 0;
        while (end < privateData.length && privateData[end] != 0) {
            end++;
        }
        return end == 0 ? "" : ": " + new String(privateData, 0, end, StandardCharsets.UTF_8);
    }

    private static String reason(FileSystemException failed) {
        return switch (failed) {
            case NoSuchFileException e -> "no such file or directory";
            case AccessDeniedException e -> "permission denied";
            case NotDirectoryException e -> "not a directory";
            case DirectoryNotEmptyException e -> "is a directory with files in it";
            case FileAlreadyExistsException e -> "is there already: take another name, or --replace";
            default -> failed.getReason() == null ? "failed (" + failed.getClass().getSimpleName() + ")" : failed.getReason();
        };
    }
}
