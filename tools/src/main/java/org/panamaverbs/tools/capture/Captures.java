package org.panamaverbs.tools.capture;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files that a program captures to. If it starts further processes, the first of all that opens a device writes the named file, and
 * each other one a file with its number in the name: {@code c.1234.pcapng} beside {@code c.pcapng}.
 */
// Tested by CaptureCommandTest.
final class Captures {
    private static final int ENHANCED_PACKET = 6;
    private static final int SECTION_AND_INTERFACE_MOST = 64 << 10;

    private final Path file;
    private final Path target;
    private final Pattern names;
    private final Map<Path, State> before;

    /** What changes if a process writes a capture over another. */
    private record State(long modifiedNanos, long size, Object key) {
        static State of(Path path) throws IOException {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return new State(attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS), attributes.size(), attributes.fileKey());
        }
    }

    /**
     * Remembers the files that there are.
     *
     * @param file as the user names it
     * @throws IOException if no program can write it
     */
    Captures(Path file) throws IOException {
        this.file = file;
        target = file.toAbsolutePath().normalize();
        check();
        String name = target.getFileName().toString();
        int dot = name.lastIndexOf('.');
        names = dot <= 0 ? Pattern.compile(Pattern.quote(name) + "\\.\\d+")
                : Pattern.compile(Pattern.quote(name.substring(0, dot)) + "\\.\\d+" + Pattern.quote(name.substring(dot)));
        before = files();
    }

    /** So that the program does not run in vain. */
    private void check() throws IOException {
        if (Files.isDirectory(target)) {
            throw new FileSystemException(file.toString(), null, "is a directory: name a file");
        }
        Path folder = target.getParent();
        if (!Files.exists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        if (!Files.isDirectory(folder)) {
            throw new NotDirectoryException(folder.toString());
        }
        if (!Files.isWritable(Files.exists(target) ? target : folder)) {
            throw new AccessDeniedException(file.toString());
        }
    }

    Path target() {
        return target;
    }

    private Map<Path, State> files() throws IOException {
        Map<Path, State> found = new HashMap<>();
        try (Stream<Path> siblings = Files.list(target.getParent())) {
            for (Path path : siblings.toList()) {
                if (path.equals(target) || names.matcher(path.getFileName().toString()).matches()) {
                    found.put(path, State.of(path));
                }
            }
        }
        return found;
    }

    /** The line for the user once the program has ended. */
    String summary() {
        Map<Path, State> after;
        try {
            after = files();
        } catch (IOException e) {
            return "see whether " + file + " was written: its folder cannot be read (" + e.getMessage() + ")";
        }
        List<Path> written = after.keySet().stream().filter(path -> !after.get(path).equals(before.get(path)))
                .sorted((a, b) -> a.equals(target) ? -1 : b.equals(target) ? 1 : a.compareTo(b)).toList();
        if (written.isEmpty()) {
            return "nothing was captured: the program opened no device of soft-iwarp (pverbs config names the provider),"
                    + " or an error of the program above says that it cannot write the file";
        }
        List<Path> full = written.stream().filter(Captures::hasPacket).toList();
        List<Path> empty = written.stream().filter(path -> !full.contains(path)).toList();
        if (full.isEmpty()) {
            return withoutPacket(empty) + ": no connection was made";
        }
        return "captured to " + list(full) + "; pverbs decode " + asNamed(full.getFirst()) + " prints "
                + (full.size() == 1 ? "it" : "the first; each process has a file of its own")
                + (empty.isEmpty() ? "" : "; " + withoutPacket(empty));
    }

    private String withoutPacket(List<Path> paths) {
        return list(paths) + (paths.size() == 1 ? " has" : " have") + " no packet";
    }

    private String list(List<Path> paths) {
        return paths.stream().map(this::asNamed).collect(Collectors.joining(" and "));
    }

    private String asNamed(Path path) {
        return (path.equals(target) ? file : file.resolveSibling(path.getFileName())).toString();
    }

    /** Whether a packet follows the blocks at the start of a capture. A file that cannot be read is said to have one. */
    private static boolean hasPacket(Path path) {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(path))) {
            DataInputStream blocks = new DataInputStream(in);
            byte[] head = new byte[8];
            for (long offset = 0; offset < SECTION_AND_INTERFACE_MOST;) {
                if (blocks.readNBytes(head, 0, head.length) < head.length) {
                    return false;
                }
                // soft-iwarp writes big-endian on every machine.
                ByteBuffer words = ByteBuffer.wrap(head);
                if (words.getInt(0) == ENHANCED_PACKET) {
                    return true;
                }
                int rest = words.getInt(4) - head.length;
                if (rest < 4) {
                    return true;
                }
                blocks.skipNBytes(rest);
                offset += head.length + rest;
            }
            return true;
        } catch (IOException e) {
            return true;
        }
    }
}
