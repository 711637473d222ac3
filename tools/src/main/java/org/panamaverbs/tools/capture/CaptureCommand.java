package org.panamaverbs.tools.capture;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.panamaverbs.tools.shared.Failure;
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
@Command(name = "capture", mixinStandardHelpOptions = true, description = {
        "Runs a program of panama-verbs, and captures what its soft-iwarp connections carry, for pverbs decode, Wireshark and tshark.",
        "Needs no rights of root. RDMA devices are not captured." })
public final class CaptureCommand implements Callable<Integer> {
    private static final String SETTING = "PANAMAVERBS_SOFTIWARP_CAPTURE";
    private static final int LEAST_SNAPLEN = 68;
    private static final int MOST_SNAPLEN = 262_144;
    private static final long MEBIBYTE = 1 << 20;

    @Parameters(index = "0", paramLabel = "FILE", description = "The capture: pcapng. An earlier capture of this name is overwritten, another file is not.")
    private Path file;

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "COMMAND", description = "The program and its arguments, after --.")
    private List<String> command;

    @Option(names = "--snaplen", defaultValue = ""
            + MOST_SNAPLEN, paramLabel = "BYTES", description = "The most bytes of a packet to keep; fewer than a frame has hide it from Wireshark. Default: ${DEFAULT-VALUE}, all of them.")
    private int snaplen;

    @Option(names = "--max-size", defaultValue = "1GiB", paramLabel = "SIZE", description = "The capture ends when the file has this size, in whole MiB. Default: ${DEFAULT-VALUE}.")
    private String maximum;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        long size = Quantity.bytes(maximum);
        if (size < MEBIBYTE || size > MEBIBYTE << 20) {
            throw new ParameterException(spec.commandLine(), "--max-size is 1MiB to 1TiB, not " + maximum);
        }
        if (snaplen < LEAST_SNAPLEN || snaplen > MOST_SNAPLEN) {
            throw new ParameterException(spec.commandLine(),
                    "--snaplen is " + LEAST_SNAPLEN + " to " + MOST_SNAPLEN + ", not " + snaplen);
        }
        Path target = file.toAbsolutePath().normalize();
        long before = modified(target);
        int status = run(Map.of(SETTING, target.toString(), SETTING + "_SNAPLEN", Integer.toString(snaplen), SETTING + "_SIZE",
                Long.toString(size / MEBIBYTE)));
        PrintWriter errors = spec.commandLine().getErr();
        if (modified(target) == before) {
            errors.println("pverbs: nothing was captured: the program opened no device of soft-iwarp (pverbs config names the provider)");
        } else {
            errors.println("pverbs: captured to " + file + "; pverbs decode " + file + " prints it");
        }
        errors.flush();
        return status;
    }

    /** The time of the file's last change; 0 if there is no file. */
    private static long modified(Path path) {
        try {
            return Files.getLastModifiedTime(path).toMillis();
        } catch (IOException e) {
            return 0;
        }
    }

    /** Runs the program on the terminal of this process; returns its status. */
    private int run(Map<String, String> settings) throws InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().putAll(settings);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new Failure(e.getMessage(), e);
        }
        // Ctrl-C also ends the program; after a signal to this process alone, this hook ends it.
        Thread end = new Thread(process::destroy);
        Runtime.getRuntime().addShutdownHook(end);
        int status = process.waitFor();
        try {
            Runtime.getRuntime().removeShutdownHook(end);
        } catch (IllegalStateException e) {
            // This process is ending already.
        }
        return status;
    }
}
