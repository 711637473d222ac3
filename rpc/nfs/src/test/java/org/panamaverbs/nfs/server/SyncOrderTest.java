package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.NfsTime;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.SetTime;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/**
 * An answer is true after a power cut: operations on names and attributes, WRITEs that are not UNSTABLE4, and COMMIT are on the disk before
 * the server answers (RFC 8881, 18.3 and 18.32), and nothing is synced twice. A process of its own executes them under strace.
 */
class SyncOrderTest {
    private static final String CALLS = "fsync,fdatasync,openat,mkdirat,unlinkat,renameat,renameat2,fchmodat,utimensat,ftruncate,"
            + "pwrite64,write";
    private static final Pattern LINE = Pattern.compile("(\\d+) +(?:<\\.\\.\\. )?(\\w+)(?:\\(| resumed>)(.*)");
    private static final Pattern OPEN_FILE = Pattern.compile("\\d+<([^>]*)>.*");
    private static final String MARK = "-> ";

    /** The process that strace watches: each operation, and then its name on standard output. */
    static final class Recorded {
        private static final SetTime TIME = new SetTime(Optional.of(new NfsTime(1, 0)));

        private final Calls client;

        private Recorded(NfsServer server) throws IOException {
            client = new Calls(server, "client");
        }

        public static void main(String[] arguments) throws IOException {
            try (NfsServer server = NfsServer.open(Path.of(arguments[0]),
                    ServerOptions.defaults().withWritable(true).withTransfers(1 << 16, 1))) {
                new Recorded(server).run();
            }
        }

        private void run() throws IOException {
            StateId state = open("OPEN", "file", new Attributes().with(Attribute.MODE, 0600));
            open("OPEN with rights that forbid to write", "second", new Attributes().with(Attribute.MODE, 0400));
            open("OPEN with a size", "third", new Attributes().with(Attribute.MODE, 0600).with(Attribute.SIZE, 100L));
            state = open("OPEN of a file that there is", "file", new Attributes().with(Attribute.MODE, 0600));
            for (int stable = 0; stable <= 2; stable++) {
                write(state, stable);
            }
            at("COMMIT", "file", Calls.op(Operation.COMMIT, xdr -> {
                xdr.xdrEncodeLong(0);
                xdr.xdrEncodeInt(0);
            }));
            open("OPEN that cuts", "file", new Attributes().with(Attribute.SIZE, 0L));
            set("SETATTR of the size", "file", new Attributes().with(Attribute.SIZE, 10L));
            set("SETATTR of rights and times", "file", new Attributes().with(Attribute.MODE, 0).with(Attribute.TIME_MODIFY_SET, TIME));
            set("SETATTR of nothing", "file", new Attributes());
            create("CREATE", "directory", new Attributes().with(Attribute.MODE, 0700));
            create("CREATE with a time", "another", new Attributes().with(Attribute.MODE, 0700).with(Attribute.TIME_MODIFY_SET, TIME));
            rename("RENAME", "file", "renamed");
            rename("RENAME into another folder", "renamed", "moved", Calls.name(Operation.LOOKUP, "directory"));
            root("REMOVE", Calls.name(Operation.REMOVE, "second"));
            root("REMOVE of a folder", Calls.name(Operation.REMOVE, "another"));
        }

        /** One write(2), by this thread. */
        private static void mark(String operation) {
            System.out.write((MARK + operation + "\n").getBytes(), 0, MARK.length() + operation.length() + 1);
            System.out.flush();
        }

        private Xdr root(String name, Calls.Op... operations) throws IOException {
            List<Calls.Op> all = new ArrayList<>(List.of(Calls.root()));
            all.addAll(List.of(operations));
            Xdr reply = client.call(Status.OK, all.toArray(Calls.Op[]::new));
            mark(name);
            return reply;
        }

        private void at(String name, String file, Calls.Op operation) throws IOException {
            root(name, Calls.name(Operation.LOOKUP, file), operation);
        }

        private StateId open(String name, String file, Attributes attributes) throws IOException {
            Xdr reply = root(name, Calls.open("me", file, 3, 0, attributes));
            Calls.result(reply, Operation.PUTROOTFH, Status.OK);
            Calls.result(reply, Operation.OPEN, Status.OK);
            return StateId.decode(reply);
        }

        private void write(StateId state, int stable) throws IOException {
            at("WRITE " + stable, "file", Calls.op(Operation.WRITE, xdr -> {
                state.encode(xdr);
                xdr.xdrEncodeLong(0);
                xdr.xdrEncodeInt(stable);
                xdr.xdrEncodeString("text");
            }));
        }

        private void set(String name, String file, Attributes attributes) throws IOException {
            at(name, file, Calls.op(Operation.SETATTR, xdr -> {
                StateId.ANONYMOUS.encode(xdr);
                attributes.encode(xdr);
            }));
        }

        private void create(String name, String directory, Attributes attributes) throws IOException {
            root(name, Calls.op(Operation.CREATE, xdr -> {
                xdr.xdrEncodeInt(2);
                xdr.xdrEncodeString(directory);
                attributes.encode(xdr);
            }));
        }

        private void rename(String name, String from, String to, Calls.Op... target) throws IOException {
            List<Calls.Op> all = new ArrayList<>(List.of(Calls.op(Operation.SAVEFH)));
            all.addAll(List.of(target));
            all.add(Calls.op(Operation.RENAME, xdr -> {
                xdr.xdrEncodeString(from);
                xdr.xdrEncodeString(to);
            }));
            root(name, all.toArray(Calls.Op[]::new));
        }
    }

    @TempDir
    private Path folder;

    private static void assumeStrace() throws InterruptedException {
        try {
            Process process = new ProcessBuilder("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=fsync", "true").start();
            assumeTrue(process.waitFor(180, TimeUnit.SECONDS) && process.exitValue() == 0, "strace may trace no process here");
        } catch (IOException e) {
            assumeTrue(false, "strace is needed (the Debian package of that name)");
        }
    }

    /** Runs the operations under strace, which writes into a file. */
    private Path trace(Path export, String... more) throws IOException, InterruptedException {
        assumeStrace();
        Path trace = folder.resolve("trace");
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>(
                List.of("strace", "-f", "-qq", "-y", "-s", "100", "--seccomp-bpf", "-o", trace.toString(), "-e", "trace=" + CALLS));
        command.addAll(List.of(more));
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-classpath", System.getProperty("java.class.path"),
                Recorded.class.getName(), export.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertTrue(process.waitFor(180, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue(), () -> said(output));
        return trace;
    }

    /** What each operation changed and synced, by the names of the files. */
    private Map<String, String> record() throws IOException, InterruptedException {
        Path export = Files.createDirectory(folder.resolve("export"));
        Path trace = trace(export);
        Map<String, List<String>> threads = new LinkedHashMap<>();
        Map<String, String> unfinished = new HashMap<>();
        for (String line : Files.readAllLines(trace)) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                String thread = matcher.group(1);
                String text = unfinished.getOrDefault(thread, "") + matcher.group(3);
                if (line.contains("<unfinished ...>")) {
                    unfinished.put(thread, text);
                } else {
                    unfinished.remove(thread);
                    threads.computeIfAbsent(thread, any -> new ArrayList<>()).add(matcher.group(2) + "(" + text);
                }
            }
        }
        List<String> calls = threads.values().stream().filter(all -> all.stream().anyMatch(call -> call.contains(MARK))).findAny()
                .orElseThrow();
        return operations(calls, export);
    }

    private static String said(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static Map<String, String> operations(List<String> calls, Path export) {
        Map<String, String> operations = new LinkedHashMap<>();
        List<String> now = new ArrayList<>();
        for (String call : calls) {
            int mark = call.indexOf(MARK);
            if (call.startsWith("write(") && mark >= 0) {
                operations.put(call.substring(mark + MARK.length(), call.indexOf("\\n", mark)), String.join(", ", now));
                now.clear();
            } else if ((call.contains(export.toString()) || call.contains("/proc/self/fd/"))
                    && (!call.startsWith("openat(") || call.contains("O_CREAT"))) {
                now.add(plain(call, export));
            }
        }
        return operations;
    }

    /** The call's name, and of a sync that of its file. */
    private static String plain(String call, Path export) {
        String name = call.substring(0, call.indexOf('('));
        Matcher file = OPEN_FILE.matcher(call.substring(name.length() + 1));
        return (name.equals("fsync") || name.equals("fdatasync")) && file.matches() ? name + " " + export.relativize(Path.of(file.group(1)))
                : name;
    }

    @Test
    void shouldSyncBeforeItAnswersAndNothingTwice() throws IOException, InterruptedException {
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("OPEN", "openat, fsync ");
        expected.put("OPEN with rights that forbid to write", "openat, fchmodat, fsync second, fsync ");
        expected.put("OPEN with a size", "openat, fsync , pwrite64, fsync third");
        expected.put("OPEN of a file that there is", "");
        expected.put("WRITE 0", "pwrite64");
        expected.put("WRITE 1", "pwrite64, fdatasync file");
        expected.put("WRITE 2", "pwrite64, fsync file");
        expected.put("COMMIT", "fsync file");
        expected.put("OPEN that cuts", "ftruncate, fsync file");
        expected.put("SETATTR of the size", "pwrite64, fsync file");
        expected.put("SETATTR of rights and times", "fchmodat, utimensat, fsync file");
        expected.put("SETATTR of nothing", "");
        expected.put("CREATE", "mkdirat, fsync ");
        expected.put("CREATE with a time", "mkdirat, fsync , utimensat, fsync another");
        expected.put("RENAME", "renameat, fsync ");
        expected.put("RENAME into another folder", "renameat, fsync directory, fsync ");
        expected.put("REMOVE", "unlinkat, fsync ");
        expected.put("REMOVE of a folder", "unlinkat, fsync ");
        assertEquals(lines(expected), lines(record()));
    }

    @Test
    void shouldServeFromAFileSystemThatSyncsNoFolders() throws IOException, InterruptedException {
        Path export = Files.createDirectory(folder.resolve("export"));
        Path trace = trace(export, "-P", export.toString(), "-e", "inject=fsync:error=EINVAL");
        assertTrue(Files.readString(trace).contains("(INJECTED)"), "the fault came");
    }

    private static String lines(Map<String, String> operations) {
        return String.join("\n", operations.entrySet().stream().map(each -> each.getKey() + ": " + each.getValue()).toList());
    }
}
