package org.panamaverbs.tools.capture;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.panamaverbs.tools.shared.Argument;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Printable;
import org.panamaverbs.tools.shared.Quantity;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code pverbs capture} runs a program with three environment variables. They make soft-iwarp in the program's process capture its own
 * connections.
 */
@Command(name = "capture", mixinStandardHelpOptions = true, customSynopsis = "pverbs capture [--snaplen=BYTES] [--max-size=SIZE] FILE -- COMMAND...", description = {
        "Runs a program of panama-verbs, and captures what its soft-iwarp connections carry, for pverbs decode, Wireshark and tshark.",
        "Needs no rights of root. RDMA devices are not captured." })
public final class CaptureCommand implements Callable<Integer> {
    /** What to do if an argument of the program is taken for one of this command. */
    public static final String CURE = ": put -- before the program, as capture FILE -- COMMAND...";

    private static final Pattern SYSTEM_TEXT = Pattern.compile("\\(([^()]+)\\)\\s*$");
    private static final String SETTING = "PANAMAVERBS_SOFTIWARP_CAPTURE";
    private static final int LEAST_SNAPLEN = 68;
    private static final int MOST_SNAPLEN = 262_144;
    private static final long MEBIBYTE = 1 << 20;

    @Parameters(index = "0", paramLabel = "FILE", description = "The capture: pcapng. An earlier capture of this name is overwritten, another file is not.")
    private Path file;

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "COMMAND", description = "The program and its arguments, after --.")
    private List<String> command;

    @Option(names = "--snaplen", defaultValue = ""
            + MOST_SNAPLEN, paramLabel = "BYTES", description = "The capture keeps this many bytes of each packet. Wireshark cannot decode a frame whose packet is cut. Default: ${DEFAULT-VALUE}, all of them.")
    private int snaplen;

    @Option(names = "--max-size", defaultValue = "1GiB", paramLabel = "SIZE", description = "The capture ends when the file has this size, in whole MiB. Default: ${DEFAULT-VALUE}.")
    private String maximum;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        long size = Argument.of(spec, "--max-size", maximum, Quantity::bytes);
        if (size < MEBIBYTE || size > MEBIBYTE << 20) {
            throw new ParameterException(spec.commandLine(), "--max-size is 1MiB to 1TiB, not " + maximum);
        }
        if (snaplen < LEAST_SNAPLEN || snaplen > MOST_SNAPLEN) {
            throw new ParameterException(spec.commandLine(), "--snaplen is " + LEAST_SNAPLEN + " to " + MOST_SNAPLEN + ", not " + snaplen);
        }
        Captures captures = new Captures(file);
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().putAll(Map.of(SETTING, captures.target().toString(), SETTING + "_SNAPLEN", Integer.toString(snaplen),
                SETTING + "_SIZE", Long.toString(size / MEBIBYTE)));
        try {
            return new Child(builder, () -> print(captures)).run();
        } catch (IOException e) {
            throw new Failure(Failure.Kind.FILE, command.getFirst() + " cannot be started: " + reason(e) + "; nothing was captured", e);
        }
    }

    private void print(Captures captures) {
        PrintWriter errors = spec.commandLine().getErr();
        errors.println(Printable.of("pverbs: " + captures.summary()));
        errors.flush();
    }

    /** The system's text for the error, which stands in brackets at the end of the cause's message. */
    private static String reason(IOException e) {
        String words = e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
        Matcher text = SYSTEM_TEXT.matcher(words);
        return text.find() ? text.group(1).toLowerCase(Locale.ROOT) : words;
    }
}
