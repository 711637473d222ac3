package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.panamaverbs.rpcrdma.wire.PrivateData;

/** A link that only records; {@link #run} reports the requests that are done. Reads take the bytes that {@link #remote} has for a handle. */
final class FakeLink implements Link {
    /** A message; {@code invalidated} is 0 for a plain Send. */
    record Sent(byte[] bytes, int invalidated) {
    }

    /** A Write. */
    record Written(int handle, long address, byte[] bytes) {
    }

    /** Memory that was opened to the peer. */
    static final class Opened implements Exposure {
        final int handle;
        final MemorySegment memory;
        final boolean forWriting;
        boolean revoked;

        Opened(int handle, MemorySegment memory, boolean forWriting) {
            this.handle = handle;
            this.memory = memory;
            this.forWriting = forWriting;
        }

        @Override
        public int handle() {
            return handle;
        }

        @Override
        public long offset() {
            return 0x1000L * handle;
        }

        @Override
        public boolean canBeInvalidated() {
            return true;
        }

    }

    private record Held(MemorySegment segment) implements Memory {
        @Override
        public void release() {
            // The garbage collector takes it.
        }
    }

    final List<Sent> sent = new ArrayList<>();
    final List<Written> written = new ArrayList<>();
    final List<Opened> opened = new ArrayList<>();
    final Map<Integer, byte[]> remote = new HashMap<>();
    private final Queue<Runnable> later = new ArrayDeque<>();
    PrivateData peer;
    int capacity = 4096;
    boolean refusesWrites;
    String failure;
    private String endReason;
    Endpoint endpoint;

    /** Reports the requests that are done, and those that follow from them. */
    void run() {
        for (Runnable next = later.poll(); next != null; next = later.poll()) {
            next.run();
        }
    }

    @Override
    public int sendCapacity() {
        return capacity;
    }

    @Override
    public int receiveCapacity() {
        return capacity;
    }

    @Override
    public PrivateData peer() {
        return peer;
    }

    @Override
    public boolean canInvalidate() {
        return true;
    }

    @Override
    public Memory takeSend() {
        return new Held(Arena.ofAuto().allocate(capacity, 8));
    }

    @Override
    public void send(Memory message, long length, Done done) {
        sendInvalidate(message, length, 0, done);
    }

    @Override
    public void sendInvalidate(Memory message, long length, int handle, Done done) {
        sent.add(new Sent(message.segment().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), handle));
        later.add(() -> done.done(true));
    }

    @Override
    public Memory takeBuffer(long length) {
        // Longer than was asked for, as the buffers of a real link are.
        return new Held(Arena.ofAuto().allocate(length + 64, 8));
    }

    @Override
    public Memory source(MemorySegment memory) {
        return new Held(memory);
    }

    @Override
    public void write(Memory from, long offset, long length, int handle, long address) {
        if (refusesWrites) {
            throw new IllegalStateException("no Write today");
        }
        written.add(new Written(handle, address, from.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE)));
    }

    @Override
    public void read(Memory into, long offset, long length, int handle, long address, Done done) {
        MemorySegment target = into.segment().asSlice(offset, length);
        byte[] data = remote.get(handle);
        if (data != null) {
            MemorySegment.copy(data, 0, target, ValueLayout.JAVA_BYTE, 0, (int) Math.min(length, data.length));
        }
        later.add(() -> done.done(true));
    }

    @Override
    public Exposure expose(MemorySegment memory, boolean forWriting) {
        Opened exposure = new Opened(0x100 + opened.size(), memory, forWriting);
        opened.add(exposure);
        return exposure;
    }

    @Override
    public void revoke(List<Exposure> exposures, boolean invalidated, int handle, Done done) {
        exposures.forEach(exposure -> ((Opened) exposure).revoked = true);
        later.add(() -> done.done(true));
    }

    /** The connection ends. */
    void end(String reason) {
        if (endReason == null) {
            endReason = reason;
            endpoint.onEnd(reason);
        }
    }

    @Override
    public String endReason() {
        return endReason;
    }

    @Override
    public void fail(String reason) {
        failure = reason;
        later.add(() -> end(reason));
    }

    @Override
    public void fail(Throwable cause) {
        if (cause instanceof AssertionError wrong) {
            throw wrong;
        }
        fail(cause.toString());
    }
}
