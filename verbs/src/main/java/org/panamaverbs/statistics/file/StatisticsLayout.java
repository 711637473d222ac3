package org.panamaverbs.statistics.file;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * The layout of the file, and its place. Numbers are little-endian.
 *
 * <pre>
 *  0  magic     8 bytes, "PVSTATS1"
 *  8  sequence  8 bytes, odd while the text changes
 * 16  process   8 bytes, its number
 * 24  start     8 bytes, when the process started, in ms since 1970; 0 if the system does not say
 * 32  update    8 bytes, when the text changed last, in ms since 1970
 * 40  length    4 bytes, of the text
 * 44  zero      4 bytes
 * 48  text      UTF-8: lines of fields with tabs between them
 * </pre>
 *
 * docs/reference/statistics-file.md has the lines.
 */
public final class StatisticsLayout {
    /** The first 8 bytes: "PVSTATS1". */
    public static final long MAGIC = 0x3153_5441_5453_5650L;
    /** The offset of the sequence. */
    public static final int SEQUENCE = 8;
    /** The offset of the number of the process. */
    public static final int PROCESS = 16;
    /** The offset of its start. */
    public static final int START = 24;
    /** The offset of the time of the last change. */
    public static final int UPDATE = 32;
    /** The offset of the length of the text. */
    public static final int LENGTH = 40;
    /** The offset of the text. */
    public static final int TEXT = 48;
    /** The size of the file, in bytes. */
    public static final int SIZE = 1 << 20;
    /** A number of 8 bytes. */
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** A number of 4 bytes. */
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

    private StatisticsLayout() {
    }

    /** {@return the folder of this user's files} */
    public static Path folder() {
        return Path.of(System.getProperty("java.io.tmpdir"), "panama-verbs-" + System.getProperty("user.name").replaceAll("[^\\w.-]", "_"));
    }

    /**
     * When a process started.
     *
     * @param process any
     * @return in ms since 1970; 0 if the system does not say
     */
    public static long start(ProcessHandle process) {
        return process.info().startInstant().map(instant -> instant.toEpochMilli()).orElse(0L);
    }
}
