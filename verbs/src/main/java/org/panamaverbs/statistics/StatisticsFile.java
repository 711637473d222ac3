package org.panamaverbs.statistics;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.panamaverbs.spi.FileTrust;
import org.panamaverbs.statistics.file.MappedText;
import org.panamaverbs.statistics.file.StatisticsLayout;

/**
 * The statistics of a running process, from the file that the process writes once a second with the setting {@code panamaverbs.statistics}.
 * docs/reference/statistics-file.md has the format. The process may be of another version, and its file cut or changed: everything is checked
 * here but the meaning of the fields, which are any text.
 *
 * @param file    the file
 * @param process the number of the process
 * @param running whether the process is still there; one that was killed leaves its file
 * @param updated when the process wrote the file last
 * @param lines   the lines, each with 1 to 64 fields; the first is its kind
 */
public record StatisticsFile(Path file, long process, boolean running, Instant updated, List<List<String>> lines) {
    private static final Pattern NAME = Pattern.compile("([1-9][0-9]{0,9})-[1-9][0-9]{0,9}");
    private static final int MOST_FIELDS = 64;
    private static final int ATTEMPTS = 100;
    /** Two processes that ask when a third started may get times that differ by this, in ms. */
    private static final long CLOCK_SHIFT = 2000;

    /**
     * Reads the files of this user.
     *
     * @param process the number of a process; 0 for all
     * @return a file for each open {@code Verbs} of each such process
     * @throws IOException if a file cannot be read, is another user's, or is not in this format; the message names it
     */
    public static List<StatisticsFile> find(long process) throws IOException {
        return find(StatisticsLayout.folder(), process);
    }

    static List<StatisticsFile> find(Path folder, long process) throws IOException {
        List<StatisticsFile> found = new ArrayList<>();
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return found;
        }
        MappedText.check(folder);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Matcher name = NAME.matcher(file.getFileName().toString());
                if (name.matches() && (process == 0 || process == Long.parseLong(name.group(1)))) {
                    read(file, Long.parseLong(name.group(1))).ifPresent(found::add);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }

    /** Empty if the file has gone meanwhile, with its process. */
    private static Optional<StatisticsFile> read(Path file, long process) throws IOException {
        try {
            if (!Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isRegularFile()) {
                throw new IOException(file + " is no regular file");
            }
            Optional<String> objection = FileTrust.objectionToUse(file);
            if (objection.isPresent()) {
                throw new IOException(file + " is not used: " + objection.get());
            }
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                MemorySegment copy = content(file);
                long sequence = copy.get(StatisticsLayout.LONG, StatisticsLayout.SEQUENCE);
                if (copy.get(StatisticsLayout.LONG, 0) == StatisticsLayout.MAGIC && (sequence & 1) == 0
                        && content(file).get(StatisticsLayout.LONG, StatisticsLayout.SEQUENCE) == sequence) {
                    return Optional.of(parse(file, process, copy));
                }
                Thread.onSpinWait();
            }
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        throw new IOException(file + " is no file of statistics of this version, or its process died while it wrote; remove it");
    }

    private static MemorySegment content(Path file) throws IOException {
        try (InputStream stream = Files.newInputStream(file)) {
            byte[] bytes = stream.readNBytes(StatisticsLayout.SIZE);
            if (bytes.length != StatisticsLayout.SIZE) {
                throw new IOException(file + " has " + bytes.length + " bytes, and a file of statistics has " + StatisticsLayout.SIZE);
            }
            // Of a long array, so that numbers are aligned.
            MemorySegment copy = MemorySegment.ofArray(new long[StatisticsLayout.SIZE / Long.BYTES]);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, copy, 0, StatisticsLayout.SIZE);
            return copy;
        }
    }

    private static StatisticsFile parse(Path file, long process, MemorySegment content) throws IOException {
        int length = content.get(StatisticsLayout.INT, StatisticsLayout.LENGTH);
        if (length < 0 || length > StatisticsLayout.SIZE - StatisticsLayout.TEXT
                || content.get(StatisticsLayout.LONG, StatisticsLayout.PROCESS) != process) {
            throw new IOException(file + " has a header that makes no sense; remove it");
        }
        byte[] bytes = content.asSlice(StatisticsLayout.TEXT, length).toArray(ValueLayout.JAVA_BYTE);
        List<List<String>> lines = new ArrayList<>();
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            text.lines().forEach(line -> lines.add(Arrays.asList(line.split("\t", MOST_FIELDS))));
        } catch (CharacterCodingException e) {
            throw new IOException(file + " has text that is not UTF-8; remove it", e);
        }
        long start = content.get(StatisticsLayout.LONG, StatisticsLayout.START);
        boolean running = ProcessHandle.of(process).map(StatisticsLayout::start)
                .filter(actual -> start == 0 || actual == 0 || Math.abs(actual - start) <= CLOCK_SHIFT).isPresent();
        return new StatisticsFile(file, process, running, Instant.ofEpochMilli(content.get(StatisticsLayout.LONG, StatisticsLayout.UPDATE)),
                List.copyOf(lines));
    }
}
