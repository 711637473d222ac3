package org.panamaverbs.sockets.protocol;

/** A message: 3 bits of operation above 29 bits of content. An {@code int} carries it, so that it costs nothing. */
public final class Message {
    /** Bytes were written to the target: their number is the content. */
    public static final int DATA = 0;
    /** Credits, and perhaps a new target: the content is the limit of messages with data, 16 bits. */
    public static final int CREDITS = 4;
    /** From now on a message with data may carry up to so many bytes as the content says. It is not of rsocket. */
    public static final int CARRY = 5;
    /** An entry of the table of mapped memory (riomap) was written. This implementation offers no such table. */
    public static final int MAPPING = 6;
    /** The content is {@link #DISCONNECT}, {@link #KEEPALIVE} or {@link #SHUTDOWN}. */
    public static final int CONTROL = 7;

    /** Content of a control message: the stream ends both ways. */
    public static final int DISCONNECT = 0;
    /** Content of a control message that says nothing. */
    public static final int KEEPALIVE = 1;
    /** Content of a control message: the sender sends no more data. */
    public static final int SHUTDOWN = 2;

    /** The most bytes that a message with data can announce. */
    public static final int MOST_DATA = (1 << 29) - 1;
    /** The most bytes that a message can carry. */
    public static final int MOST_CARRIED = (1 << 16) - 1;
    /** How long a message is on the wire, in bytes. */
    public static final int LENGTH = 4;
    /** What stands before the bytes that a message carries: the message, and a limit of messages with data in 4 bytes. */
    public static final int HEADER = 8;

    private static final int SHIFT = 29;

    private Message() {
    }

    /** Makes one of an operation and its content, 0 to {@link #MOST_DATA}. */
    public static int of(int operation, int content) {
        return operation << SHIFT | content;
    }

    /** {@return 0 to 7} */
    public static int operation(int message) {
        return message >>> SHIFT;
    }

    /** {@return 0 to {@link #MOST_DATA}} */
    public static int content(int message) {
        return message & MOST_DATA;
    }
}
