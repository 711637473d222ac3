package org.panamaverbs.compare;

import java.util.Locale;

/** A quantity that is measured of a subject, and how people read it. */
enum Metric {
    BYTES_PER_SECOND("bytesPerSecond"), MESSAGES_PER_SECOND("messagesPerSecond"),
    /** Latencies are half of round trips; of a Read or an atomic, its time from the post to the completion. */
    MINIMUM_MICROS("minimumMicros"), P50_MICROS("p50Micros"), P99_MICROS("p99Micros"), P999_MICROS("p999Micros"), MAXIMUM_MICROS(
            "maximumMicros"),
    /** On the heap, by all threads of both ends. */
    ALLOCATED_PER_MESSAGE("allocatedBytesPerMessage"),
    /** Of all bytes that arrived, how many the system put straight into their place, 0 to 1. */
    DIRECT_SHARE("directShare"),
    /** Of all bytes that were sent over datagrams, how many arrived, 0 to 1. */
    ARRIVED_SHARE("arrivedShare"),
    /** That received or sent, of both ends. */
    SYSTEM_CALLS_PER_MIB("systemCallsPerMiB"),
    /** By the transport, for each byte of results. */
    COPIED_PER_BYTE("copiedBytesPerByte"),
    /** Of an idle queue pair. */
    HEAP_BYTES_EACH("heapBytesEach"), NATIVE_BYTES_EACH("nativeBytesEach"), BYTES_EACH("bytesEach");

    private final String key;

    Metric(String key) {
        this.key = key;
    }

    /** Its name in {@code results.json}. */
    String key() {
        return key;
    }

    /** Whether more of it is better. */
    boolean isMoreBetter() {
        return this == BYTES_PER_SECOND || this == MESSAGES_PER_SECOND || this == DIRECT_SHARE || this == ARRIVED_SHARE;
    }

    /** Its description, in a few words. */
    String what() {
        return switch (this) {
            case BYTES_PER_SECOND -> "bytes per second";
            case MESSAGES_PER_SECOND -> "messages per second";
            case MINIMUM_MICROS -> "latency, least";
            case P50_MICROS -> "latency, median";
            case P99_MICROS -> "latency, 99 %";
            case P999_MICROS -> "latency, 99.9 %";
            case MAXIMUM_MICROS -> "latency, greatest";
            case ALLOCATED_PER_MESSAGE -> "allocated per message";
            case DIRECT_SHARE -> "placed directly, of all bytes";
            case ARRIVED_SHARE -> "arrived, of all bytes";
            case SYSTEM_CALLS_PER_MIB -> "system calls per MiB";
            case COPIED_PER_BYTE -> "copied by the transport, per byte";
            case HEAP_BYTES_EACH, NATIVE_BYTES_EACH, BYTES_EACH -> "memory of an idle queue pair";
        };
    }

    /** A value with its unit. */
    String text(double value) {
        return switch (this) {
            case BYTES_PER_SECOND -> value >= 1e9 ? text("%.2f GB/s", value / 1e9) : text("%.1f MB/s", value / 1e6);
            case MESSAGES_PER_SECOND -> value >= 1e6 ? text("%.2f M/s", value / 1e6) : text("%.0f /s", value);
            case MINIMUM_MICROS, P50_MICROS, P99_MICROS, P999_MICROS, MAXIMUM_MICROS -> text("%.2f us", value);
            case ALLOCATED_PER_MESSAGE -> text("%.2f bytes", value);
            case DIRECT_SHARE, ARRIVED_SHARE -> text("%.4f", value);
            case SYSTEM_CALLS_PER_MIB -> text("%.1f calls", value);
            case COPIED_PER_BYTE -> text("%.5f", value);
            case HEAP_BYTES_EACH, NATIVE_BYTES_EACH, BYTES_EACH -> text("%.1f KiB", value / 1024);
        };
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
