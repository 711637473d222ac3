package org.panamaverbs.nio;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes that a channel has taken and its stream has not yet, as in the send buffer of a socket. */
// Tested by SendBufferTest.
final class SendBuffer {
    private static final int MOST = 64 << 10;

    /** A stream, as far as it takes bytes. */
    interface Sink {
        /** {@return whether there is a stream that takes bytes, or says why it does not} */
        boolean isThere();

        /** {@return how many bytes there was room for} They go at the next {@link #flush} at the latest. */
        int write(ByteBuffer from) throws IOException;

        void flush();
    }

    private final Sink sink;
    /** Ready to be put into; {@code null} before it is needed. Guarded by this. */
    private ByteBuffer waiting;
    private volatile int count;

    SendBuffer(Sink sink) {
        this.sink = sink;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** {@return whether it has room enough that a program should write} */
    boolean hasRoom() {
        return count <= MOST / 2;
    }

    /**
     * Takes bytes: the stream does as far as it has room, and then this.
     *
     * @return how many; 0 if there is no room now
     */
    synchronized int write(ByteBuffer from) throws IOException {
        int taken = sink.isThere() && send() ? sink.write(from) : 0;
        if (from.hasRemaining()) {
            taken += keep(from);
            if (sink.isThere()) {
                // Either this sees room that came meanwhile, or the thread that makes room sees that bytes wait.
                send();
            }
        }
        return taken;
    }

    private int keep(ByteBuffer from) {
        if (waiting == null) {
            waiting = ByteBuffer.allocate(MOST);
        }
        int kept = Math.min(from.remaining(), waiting.remaining());
        waiting.put(from.slice().limit(kept));
        from.position(from.position() + kept);
        count = waiting.position();
        return kept;
    }

    /**
     * The stream, which is there, gets what waits.
     *
     * @return whether it has taken all; bytes that it will never take are dropped
     */
    synchronized boolean send() {
        if (count > 0) {
            waiting.flip();
            try {
                sink.write(waiting);
                sink.flush();
                waiting.compact();
            } catch (IOException e) {
                // The program learns it when it reads or writes.
                waiting.clear();
            }
            count = waiting.position();
        }
        return count == 0;
    }
}
