package org.panamaverbs.compare;

/** Lengths of messages as people write them. */
final class Sizes {
    private Sizes() {
    }

    /** 64 B, 64 KiB, 1 MiB. */
    static String text(long bytes) {
        if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) {
            return bytes / (1 << 20) + " MiB";
        }
        return bytes >= 1 << 10 && bytes % (1 << 10) == 0 ? bytes / (1 << 10) + " KiB" : bytes + " B";
    }
}
