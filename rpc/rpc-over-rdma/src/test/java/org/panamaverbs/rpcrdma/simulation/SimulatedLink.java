package org.panamaverbs.rpcrdma.simulation;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.panamaverbs.rpcrdma.endpoint.Link;
import org.panamaverbs.rpcrdma.wire.PrivateData;

/**
 * One side of a connection in memory. A request waits until the {@link SimulatedWire} carries it out; completions and messages wait
 * in one queue, as in a completion queue. Memory is checked: no use after it was given back, no remote access beyond the open parts.
 */
final class SimulatedLink implements Link {
    /** The receiver of the messages. */
    interface End {
        void onReceive(MemorySegment message, long length, boolean invalidated, int handle);

        void onEnd(String reason);
    }

    /**
     * The abilities of a side.
     *
     * @param said its private data when it connects, or {@code null}
     */
    record Traits(int sendCapacity, int receiveCapacity, int sends, int receives, PrivateData said, boolean canInvalidate,
            boolean exposesInvalidatable) {
    }

    record Posted(char kind, Held memory, long offset, long length, int handle, long address, Done done) {
    }

    record Opened(int handle, long offset, boolean canBeInvalidated, MemorySegment memory, boolean forWriting) implements Exposure {
    }

    final Deque<Posted> posted = new ArrayDeque<>();
    final Deque<Posted> reads = new ArrayDeque<>();
    final Deque<Runnable> events = new ArrayDeque<>();
    final Map<Integer, Opened> exposures = new HashMap<>();
    final List<Integer> revoked = new ArrayList<>();
    final String name;
    private final SimulatedWire wire;
    private final Traits traits;
    private SimulatedLink other;
    private End end;
    private int sendsTaken;
    private int held;
    private int receivesFree;
    private long mostHeldBytes;
    private long heldBytes;
    private String ending;
    private boolean ended;

    SimulatedLink(String name, SimulatedWire wire, Traits traits) {
        this.name = name;
        this.wire = wire;
        this.traits = traits;
        receivesFree = traits.receives;
    }

    void connect(SimulatedLink peer) {
        other = peer;
    }

    void attach(End to) {
        end = to;
    }

    final class Held implements Memory {
        private final MemorySegment segment;
        private final char kind;
        private int uses;
        private boolean released;

        private Held(MemorySegment segment, char kind) {
            this.segment = segment;
            this.kind = kind;
            held++;
            if (kind == 'b') {
                heldBytes += segment.byteSize();
                mostHeldBytes = Math.max(mostHeldBytes, heldBytes);
            }
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public void release() {
            if (released || uses != 0) {
                throw wire.broken(name + ": memory is given back " + (released ? "twice" : "while posted requests use it"));
            }
            released = true;
            held--;
            if (kind == 's') {
                sendsTaken--;
            }
            if (kind == 'b') {
                heldBytes -= segment.byteSize();
            }
            if (kind != 'p') {
                // A Read out of it from now on brings wrong bytes, which a check finds.
                segment.fill((byte) 0xEE);
            }
        }
    }

    @Override
    public int sendCapacity() {
        return traits.sendCapacity;
    }

    @Override
    public int receiveCapacity() {
        return traits.receiveCapacity;
    }

    @Override
    public PrivateData peer() {
        return other.traits.said;
    }

    @Override
    public boolean canInvalidate() {
        return traits.canInvalidate;
    }

    @Override
    public Memory takeSend() {
        if (sendsTaken == traits.sends) {
            return null;
        }
        sendsTaken++;
        return new Held(wire.allocate(traits.sendCapacity), 's');
    }

    @Override
    public Memory takeBuffer(long length) {
        return new Held(wire.allocate(length + wire.random.nextInt(64)), 'b');
    }

    @Override
    public Memory source(MemorySegment memory) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("a device cannot use memory of the heap");
        }
        return new Held(memory, 'p');
    }

    @Override
    public void send(Memory message, long length, Done done) {
        post(new Posted('S', (Held) message, 0, length, 0, 0, done));
    }

    @Override
    public void sendInvalidate(Memory message, long length, int handle, Done done) {
        post(new Posted('I', (Held) message, 0, length, handle, 0, done));
    }

    @Override
    public void write(Memory from, long offset, long length, int handle, long address) {
        post(new Posted('W', (Held) from, offset, length, handle, address, success -> {
            // A Write is not signalled.
        }));
    }

    @Override
    public void read(Memory into, long offset, long length, int handle, long address, Done done) {
        post(new Posted('R', (Held) into, offset, length, handle, address, done));
    }

    private void post(Posted request) {
        if (request.memory.released || request.offset > request.memory.segment.byteSize() - request.length) {
            throw wire.broken(name + ": posted with memory that was given back, or beyond its end");
        }
        if (ended) {
            events.add(() -> finish(request, false));
            return;
        }
        request.memory.uses++;
        posted.add(request);
    }

    private static void finish(Posted request, boolean success) {
        if (request.kind == 'S' || request.kind == 'I') {
            request.memory.release();
        }
        request.done.done(success);
    }

    /** Carries out the oldest request that was posted. */
    void carryOut() {
        Posted request = posted.remove();
        switch (request.kind) {
            case 'W' -> {
                MemorySegment target = other.access(request, true);
                if (target != null) {
                    target.copyFrom(request.memory.segment.asSlice(request.offset, request.length));
                }
                request.memory.uses--;
            }
            case 'R' -> reads.add(request);
            default -> {
                byte[] bytes = request.memory.segment.asSlice(0, request.length).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
                request.memory.uses--;
                events.add(() -> finish(request, true));
                wire.tap(this, bytes);
                other.deliver(bytes, request.kind == 'I', request.handle);
            }
        }
    }

    /** The answer to the oldest Read comes. */
    void finishRead() {
        Posted request = reads.remove();
        MemorySegment source = other.access(request, false);
        request.memory.uses--;
        if (source != null) {
            request.memory.segment.asSlice(request.offset, request.length).copyFrom(source);
        }
        events.add(() -> finish(request, source != null));
    }

    /** The part of this side's memory that a request of the peer touches; {@code null} if that is forbidden, and the connection ends. */
    private MemorySegment access(Posted request, boolean writes) {
        Opened open = exposures.get(request.handle);
        long at = open == null ? -1 : request.address - open.offset;
        if (open == null || open.forWriting != writes || at < 0 || at > open.memory.byteSize()
                || request.length > open.memory.byteSize() - at) {
            wire.violation(this, request.handle, (writes ? "a Write" : "a Read") + " of " + other.name + " beyond the open memory");
            return null;
        }
        return open.memory.asSlice(at, request.length);
    }

    private void deliver(byte[] bytes, boolean invalidates, int handle) {
        if (bytes.length > traits.receiveCapacity || receivesFree == 0) {
            wire.violation(this, 0, bytes.length > traits.receiveCapacity ? "a message of " + bytes.length + " bytes is too long"
                    : "there is no receive for a message");
            return;
        }
        if (invalidates) {
            Opened open = exposures.remove(handle);
            if (open == null || !open.canBeInvalidated) {
                wire.violation(this, handle, "an invalidation of memory that is not open, or may not be invalidated");
                return;
            }
        }
        receivesFree--;
        events.add(() -> {
            MemorySegment message = MemorySegment.ofArray(new byte[traits.receiveCapacity]);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, message, 0, bytes.length);
            end.onReceive(message, bytes.length, invalidates, handle);
            message.fill((byte) 0xDD);
            receivesFree++;
        });
    }

    @Override
    public Exposure expose(MemorySegment memory, boolean forWriting) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new IllegalArgumentException("memory of the heap, or of no bytes, cannot be registered");
        }
        int handle;
        do {
            handle = wire.random.nextInt();
        } while (handle == 0 || exposures.containsKey(handle) || revoked.contains(handle));
        Opened open = new Opened(handle, wire.random.nextLong(), traits.exposesInvalidatable, memory, forWriting);
        exposures.put(handle, open);
        return open;
    }

    @Override
    public void revoke(List<Exposure> list, boolean invalidated, int handle, Done done) {
        for (Exposure exposure : list) {
            exposures.remove(exposure.handle());
            revoked.add(exposure.handle());
        }
        events.add(() -> done.done(true));
    }

    @Override
    public void fail(String reason) {
        wire.failed(this, reason);
    }

    @Override
    public void fail(Throwable cause) {
        if (cause instanceof AssertionError wrong) {
            throw wrong;
        }
        fail(cause.toString());
    }

    /** The connection is lost; this side hears of it in a later step. */
    void lose(String reason) {
        if (ending == null) {
            ending = reason;
        }
    }

    boolean isEnding() {
        return ending != null;
    }

    boolean hasEnded() {
        return ended;
    }

    @Override
    public String endReason() {
        return ended ? ending : null;
    }

    /** The queue pair is closed first, then this side hears of the end, then requests that were under way are finished. */
    void end() {
        ended = true;
        List<Posted> left = new ArrayList<>(posted);
        left.addAll(reads);
        posted.clear();
        reads.clear();
        left.forEach(request -> request.memory.uses--);
        end.onEnd(ending);
        left.forEach(request -> events.add(() -> finish(request, false)));
    }

    /** Memory of {@link Link.Memory} that was not given back. */
    int held() {
        return held;
    }

    long mostHeldBytes() {
        return mostHeldBytes;
    }
}
