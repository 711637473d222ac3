package org.panamaverbs.interop;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Prints the state of siw's queue pairs if a test fails, before the test closes them: the lab's module {@code siw-state} writes it to the
 * kernel's messages each time that it is loaded.
 */
public final class DriverState implements TestExecutionExceptionHandler {
    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        if (!(failure instanceof TestAbortedException)) {
            System.out.println(context.getDisplayName() + " failed; the queue pairs of siw0:\n" + dump());
        }
        throw failure;
    }

    /** A line for each queue pair, or why there is none. */
    private static String dump() {
        // The module refuses to stay: that error is no news.
        return run(List.of("sh", "-c",
                "n=$(dmesg | wc -l); insmod \"$LAB_DIR/siw-state.ko\" 2>&1 | grep -v 'Operation canceled'; dmesg | tail -n +$((n + 1))"));
    }

    private static String run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            return new String(process.getInputStream().readAllBytes());
        } catch (IOException e) {
            return "not to be had: " + e.getMessage();
        }
    }
}
