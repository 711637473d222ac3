package org.panamaverbs.tools.decode;

/**
 * How much of a file the decoder follows and keeps at a time. A file may be hostile, and a capture may lack one direction for good. Tests
 * pass lower limits.
 *
 * @param connections the most connections; a further one displaces another
 * @param direction   about the most bytes of one direction that wait: for a missing segment, or for a missing start frame
 * @param total       the most bytes that wait in all connections together
 */
record Limits(int connections, int direction, long total) {
    static final Limits USUAL = new Limits(4096, 1 << 18, 64L << 20);
}
