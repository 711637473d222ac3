package org.panamaverbs.ddp.buffers;

/** The receive that the message under way is placed into. It stays taken until a message is delivered into it. */
final class Receive {
    private Buffer buffer;
    private long offset;
    private long length;

    void set(Buffer into, long at, long size) {
        buffer = into;
        offset = at;
        length = size;
    }

    boolean isTaken() {
        return buffer != null;
    }

    void clear() {
        buffer = null;
    }

    Buffer buffer() {
        return buffer;
    }

    long offset() {
        return offset;
    }

    long length() {
        return length;
    }
}
