package org.panamaverbs.tools.files;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The system calls of a process that runs under strace, in their order. */
final class Trace {
    private static final String CALLS = "trace=fsync,fdatasync,rename,renameat,renameat2,link,linkat,openat,sendmsg,sendto,write,writev";
    /** A result that the test has made. */
    static final String INJECTED = "(INJECTED)";
    private static final Pattern LINE = Pattern.compile("(\\d+) +(?:<\\.\\.\\. )?(\\w+)(?:\\(| resumed>)(.*)");

    private final Path file;

    Trace(Path file) {
        this.file = file;
    }

    /**
     * A call.
     *
     * @param began the line in which it begins
     * @param ended the line in which it has returned, after that of a call that began before
     * @param text  its arguments and its result, with the paths of descriptors
     */
    record Call(int began, int ended, String name, String text) {
        boolean isSync() {
            return name.equals("fsync") || name.equals("fdatasync");
        }

        boolean names() {
            return name.startsWith("link") || name.startsWith("rename");
        }

        boolean sends() {
            return name.startsWith("send") || name.startsWith("write") && text.contains("<socket:");
        }
    }

    static void assumeInstalled() throws InterruptedException {
        try {
            Process process = new ProcessBuilder("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=fsync", "true").start();
            assumeTrue(process.waitFor(180, TimeUnit.SECONDS) && process.exitValue() == 0, "strace may trace no process here");
        } catch (IOException e) {
            assumeTrue(false, "strace is needed (the Debian package of that name)");
        }
    }

    /** The words before those of the program; the process is the program's, not that of strace. */
    List<String> words(String... more) {
        List<String> words = new ArrayList<>(
                List.of("strace", "-D", "-f", "-q", "-y", "-s", "60", "--seccomp-bpf", "-o", file.toString(), "-e", CALLS));
        words.addAll(List.of(more));
        return words;
    }

    /** Waits until the process has ended, and reads what it has called. */
    List<Call> calls(long pid) throws IOException, InterruptedException {
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!isComplete(pid)) {
            assertTrue(System.nanoTime() < patience, () -> "the trace has no end: " + file);
            TimeUnit.MILLISECONDS.sleep(10);
        }
        List<String> lines = Files.readAllLines(file);
        List<Call> calls = new ArrayList<>();
        Map<String, Integer> unfinished = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher line = LINE.matcher(lines.get(i));
            if (!line.matches()) {
                continue;
            }
            String thread = line.group(1);
            boolean resumed = lines.get(i).contains(" resumed>");
            if (line.group(3).contains("<unfinished ...>")) {
                unfinished.put(thread, i);
            } else {
                Integer began = resumed ? unfinished.remove(thread) : Integer.valueOf(i);
                String text = resumed && began != null ? lines.get(began) + line.group(3) : line.group(3);
                // A JVM opens many files; of interest are those that it cannot open.
                if (began != null && (!line.group(2).equals("openat") || text.contains(INJECTED))) {
                    calls.add(new Call(began, i, line.group(2), text));
                }
            }
        }
        return calls;
    }

    private boolean isComplete(long pid) throws IOException {
        if (!Files.exists(file)) {
            return false;
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.anyMatch(line -> line.startsWith(pid + " ") && line.contains("+++ "));
        }
    }
}
