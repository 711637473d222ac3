package org.panamaverbs.nfs.server.state;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A folder with the record that a server needs after a restart: its name, its lease, and the clients that may hold something (RFC 8881,
 * 8.4.3). A change is on the disk when {@link #write} returns; a crash leaves the record before or after it. One server at a time has the
 * folder.
 */
// Tested by RestartTest, GraceTest.
final class StableRecord implements AutoCloseable {
    private static final String HEAD = "pverbs nfs state 1";
    private static final Pattern SERVER = Pattern.compile("server ([0-9a-f]{32})");
    private static final Pattern LEASE = Pattern.compile("lease ([1-9][0-9]{0,5})");
    private static final Pattern CLIENT = Pattern.compile("client ([0-9a-f]{64})");
    private static final int HEAD_LINES = 3;
    /** More than 200,000 clients. */
    private static final int LONGEST = 16 << 20;
    private static final int SERVER_BYTES = 16;

    private final Path folder;
    private final FileChannel lock;
    private final Content content;

    /**
     * The record as it was found.
     *
     * @param server  the server's name
     * @param lease   in seconds; 0 if there was no record
     * @param clients their keys
     */
    record Content(String server, int lease, Set<String> clients) {
    }

    /**
     * Takes a folder, which is made if it is not there, and reads the record in it.
     *
     * @throws IOException if another server has the folder, or what is in it is no record
     */
    StableRecord(Path folder) throws IOException {
        this.folder = folder;
        Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        lock = FileChannel.open(folder.resolve("lock"), Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            lock();
            content = read();
        } catch (IOException e) {
            lock.close();
            throw e;
        }
    }

    private void lock() throws IOException {
        try {
            if (lock.tryLock() != null) {
                return;
            }
        } catch (OverlappingFileLockException e) {
            // A server in this process.
        }
        throw new IOException("another server uses it");
    }

    static String randomServer() {
        byte[] bytes = new byte[SERVER_BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    Content content() {
        return content;
    }

    private Path file() {
        return folder.resolve("record");
    }

    private Content read() throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file())) {
            bytes = in.readNBytes(LONGEST + 1);
        } catch (NoSuchFileException e) {
            return new Content(randomServer(), 0, Set.of());
        }
        if (bytes.length > LONGEST) {
            throw new IOException("its file \"record\" is longer than " + LONGEST + " bytes, so remove it");
        }
        List<String> lines = new String(bytes, StandardCharsets.US_ASCII).lines().toList();
        if (lines.size() < HEAD_LINES || !lines.getFirst().equals(HEAD)) {
            throw new IOException("its file \"record\" is none of this version, so remove it");
        }
        Set<String> clients = new LinkedHashSet<>();
        for (String line : lines.subList(HEAD_LINES, lines.size())) {
            clients.add(value(CLIENT, line));
        }
        return new Content(value(SERVER, lines.get(1)), Integer.parseInt(value(LEASE, lines.get(2))), clients);
    }

    private static String value(Pattern pattern, String line) throws IOException {
        var matcher = pattern.matcher(line);
        if (!matcher.matches()) {
            throw new IOException("its file \"record\" has a line of another form, so remove it");
        }
        return matcher.group(1);
    }

    /** Replaces the record, also in a thread that is interrupted: it stays so. */
    void write(String server, long lease, Collection<String> clients) throws IOException {
        StringBuilder text = new StringBuilder(HEAD + "\nserver " + server + "\nlease " + lease + "\n");
        clients.forEach(client -> text.append("client ").append(client).append('\n'));
        boolean interrupted = false;
        try {
            while (!isReplaced(text.toString().getBytes(StandardCharsets.US_ASCII))) {
                interrupted |= Thread.interrupted();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean isReplaced(byte[] text) throws IOException {
        Path fresh = folder.resolve("record.new");
        Files.deleteIfExists(fresh);
        try (FileChannel channel = FileChannel.open(fresh, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer bytes = ByteBuffer.wrap(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
            Files.move(fresh, file(), StandardCopyOption.ATOMIC_MOVE);
            syncFolder();
            return true;
        } catch (ClosedByInterruptException e) {
            return false;
        }
    }

    /** Removes the record, so that nobody reclaims by an old one. */
    void remove() throws IOException {
        Files.deleteIfExists(file());
        syncFolder();
    }

    private void syncFolder() throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
