package org.panamaverbs.sockets;

import java.time.Duration;
import java.util.Objects;

/** How a stream behaves. It is immutable; each {@code with} method returns a changed copy. */
public final class StreamOptions {
    /** The least size of a buffer, in bytes. */
    public static final int LEAST_BUFFER = 8 << 10;
    /** The largest size of a buffer, in bytes. */
    public static final int MOST_BUFFER = 2 << 20;

    private static final StreamOptions USUAL = new StreamOptions(new Values(1 << 20, 1 << 20, Duration.ofSeconds(10)));

    private final Values values;

    private record Values(int receiveBuffer, int sendBuffer, Duration linger) {
        Values {
            checkBuffer(receiveBuffer);
            checkBuffer(sendBuffer);
            Objects.requireNonNull(linger);
            if (linger.isNegative()) {
                throw new IllegalArgumentException("a stream lingers for 0 or more, not " + linger);
            }
        }

        private static void checkBuffer(int bytes) {
            if (bytes < LEAST_BUFFER || bytes > MOST_BUFFER) {
                throw new IllegalArgumentException("a buffer has " + LEAST_BUFFER + " to " + MOST_BUFFER + " bytes, not " + bytes);
            }
        }
    }

    private StreamOptions(Values values) {
        this.values = values;
    }

    /**
     * The usual ones: at most 1 MiB each way, and 10 s to send what is left when a stream is closed.
     *
     * @return always the same
     */
    public static StreamOptions defaults() {
        return USUAL;
    }

    /**
     * The same with another receive buffer.
     *
     * @param bytes how many bytes the peer can send ahead at most: 8 KiB to 2 MiB, of which powers of two use memory best. A stream begins
     *              with 3 KiB, and grows as the peer sends
     * @return the options
     */
    public StreamOptions withReceiveBuffer(int bytes) {
        return new StreamOptions(new Values(bytes, values.sendBuffer, values.linger));
    }

    /**
     * The same with another send buffer.
     *
     * @param bytes how many bytes of {@link ByteStream#write(java.lang.foreign.MemorySegment, long, int)} are copied ahead at most, those
     *              that wait included: 8 KiB to 2 MiB. A stream takes up to 72 KiB at first, and more as the peer takes them
     * @return the options
     */
    public StreamOptions withSendBuffer(int bytes) {
        return new StreamOptions(new Values(values.receiveBuffer, bytes, values.linger));
    }

    /**
     * The same with another time to send what is left.
     *
     * @param time after {@link ByteStream#close()} a stream that has not sent everything for so long is cut
     * @return the options
     */
    public StreamOptions withLinger(Duration time) {
        return new StreamOptions(new Values(values.receiveBuffer, values.sendBuffer, time));
    }

    /** {@return how many bytes the peer can send ahead at most} */
    public int receiveBuffer() {
        return values.receiveBuffer;
    }

    /** {@return how many bytes are copied ahead at most} */
    public int sendBuffer() {
        return values.sendBuffer;
    }

    /** {@return how long a closed stream may take to send what is left} */
    public Duration linger() {
        return values.linger;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StreamOptions that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "StreamOptions." + values;
    }
}
