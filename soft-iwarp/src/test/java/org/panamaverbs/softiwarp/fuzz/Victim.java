package org.panamaverbs.softiwarp.fuzz;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.softiwarp.fixtures.SingleThreadLoop;
import org.panamaverbs.softiwarp.fixtures.StreamEnds;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.progress.StreamDriver;
import org.panamaverbs.softiwarp.qp.EndReason;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamOptions;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.Origin;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.ReceiveRing;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.spi.Described;
import org.panamaverbs.spi.SendWorkRequest;

/**
 * A connected queue pair, without threads and sockets, and its program. It knows at each moment which bytes its peer may change, and
 * which requests are outstanding.
 */
final class Victim implements AutoCloseable, StreamDriver.Listener {
    static final int SLOT = 96;
    static final int SLOTS = 8;
    /** The 8 bytes of each Immediate Data message, also behind a Write. */
    static final long IMMEDIATE = 0x0123_4567_89AB_CDEFL;
    /** The operands of each atomic: data and its mask, compare data and its mask. */
    static final long[] OPERANDS = { 1, -1, 2, -1 };
    private static final int DEPTH = 16;
    private static final int RING = 128;
    private static final int BUFFERS = 2;
    /** The most that a stream may hold beside the buffers of the pool: the stage, control messages, a batch. */
    private static final long MOST_HELD = 512 * 1024;

    /** A request of the program: where its answer goes, or {@code null}. */
    private record Request(long id, boolean receive, MemorySegment part, long offset, long length, Regions.Binding binding,
            boolean immediate) {
    }

    /** A receive that completed in order; {@code immediate} is {@code null} unless it has the 8 bytes of Immediate Data. */
    record Received(long offset, long length, CompletionOpcode opcode, Long immediate) {
    }

    private final Arena arena = Arena.ofConfined();
    private final Ground ground = new Ground(arena, 24 * 1024);
    private final Object domain = new Object();
    private int nextStag = 0x100;
    private final StagTable<RegisteredMemory> table = new StagTable<>(() -> nextStag += 0x300, 1 << 10);
    private final Completions completions = Completions.allocate(RING);
    private final CompletionRing ring;
    private final SendQueue sends;
    private final ReceiveRing receives;
    private final Stream stream;
    private final StreamDriver driver;
    private final FedChannel channel;
    private final SingleThreadLoop loop;
    private final BufferPool pool;
    private long held;
    private int buffers;

    final Regions regions;
    private final List<Request> outstanding = new ArrayList<>();
    private final Deque<Received> received = new ArrayDeque<>();
    private int immediates;
    private long nextId = 1;
    /** The completions so far. */
    private final List<String> log = new ArrayList<>();
    private Throwable defect;
    private int told;
    private int terminate = TerminateCode.NONE;

    Victim(Agreement agreement, boolean initiator, boolean verify, boolean extensions, int mulpdu, FedChannel channel) {
        this.channel = channel;
        SegmentAllocator memory = (size, alignment) -> {
            held += size;
            return arena.allocate(size, alignment);
        };
        ring = new CompletionRing(RING, () -> {
            // The program polls.
        });
        sends = new SendQueue(DEPTH, 1, 0, arena, true, ring, Origin.of(1));
        receives = new ReceiveRing(DEPTH, 1, ring, Origin.of(1));
        pool = new BufferPool((size, alignment) -> {
            buffers++;
            return arena.allocate(size, alignment);
        }, FpduWriter.LARGE_BUFFER, BUFFERS);
        regions = new Regions(ground, domain, table, this);
        StreamResources resources = new StreamResources(table, domain, this, sends, receives, new InboundReads(agreement.ird()),
                new OutboundReads(agreement.ord()));
        stream = new Stream(resources, new StreamOptions(agreement.crc(), agreement.markers(), mulpdu, verify, 1, extensions), memory,
                pool);
        loop = new SingleThreadLoop(arena.allocate(4096));
        driver = new StreamDriver(loop, channel, stream, this);
        stream.connect(!initiator, agreement.ready());
        loop.lead(driver::start);
        loop.run();
    }

    Stream stream() {
        return stream;
    }

    /** The error that ended the stream, as {@link StreamEnds#errorCode} has it. */
    int errorCode() {
        return StreamEnds.errorCode(stream);
    }

    /** Whether the peer's Terminate ended the stream. */
    boolean isErrorFromPeer() {
        return StreamEnds.isErrorFromPeer(stream);
    }

    SingleThreadLoop loop() {
        return loop;
    }

    StreamDriver driver() {
        return driver;
    }

    int told() {
        return told;
    }

    /** The error of the Terminate that the driver says it has sent. */
    int terminate() {
        return terminate;
    }

    Received takeReceived() {
        return received.poll();
    }

    MemorySegment landing() {
        return regions.landing.segment();
    }

    List<String> log() {
        return log;
    }

    /** How many requests with immediate data have succeeded. */
    int immediates() {
        return immediates;
    }

    /** The offset in the sink at which the answer to the oldest Read or atomic goes; -1 if there is none. */
    long oldestAnswer() {
        return outstanding.stream().filter(each -> each.part() == regions.sink.segment()).mapToLong(Request::offset).findFirst().orElse(-1);
    }

    int receivesOutstanding() {
        return (int) outstanding.stream().filter(Request::receive).count();
    }

    // The acts of its program.

    /** The slot of the next request; slots of outstanding requests are not used again. */
    private long slot(boolean receive) {
        for (long at = 0; at < (long) SLOT * SLOTS; at += SLOT) {
            long wanted = at;
            MemorySegment part = receive ? regions.landing.segment() : regions.sink.segment();
            if (outstanding.stream().noneMatch(each -> each.part() == part && each.offset() == wanted)) {
                return at;
            }
        }
        return -1;
    }

    void postReceive(int length) {
        long at = slot(true);
        long sequence = at < 0 ? -1 : receives.claim(nextId);
        if (sequence < 0) {
            return;
        }
        receives.element(sequence, regions.landing, at, length);
        receives.publish(sequence);
        add(new Request(nextId, true, regions.landing.segment(), at, length, null, false));
        if (stream.state() != StreamState.RTS) {
            driver.flushLate();
        }
    }

    private void add(Request request) {
        outstanding.add(request);
        nextId++;
        if (request.part() != null && stream.state().receives()) {
            ground.grant(request.part(), request.offset(), request.length());
        }
    }

    /** Posts a Send, a Write, an Immediate Data message or a Write with immediate data. */
    void postSend(Operation operation, int length, int flags, int key, long address) {
        long sequence = sends.claim(nextId);
        if (sequence < 0) {
            return;
        }
        boolean carries = operation != Operation.IMMEDIATE;
        boolean immediate = operation == Operation.IMMEDIATE || operation == Operation.WRITE_IMMEDIATE;
        sends.describe(sequence, operation, carries ? length : 0, address, key, SendWorkRequest.SIGNALED | flags);
        if (immediate) {
            sends.immediate(sequence, IMMEDIATE);
        }
        if (carries) {
            sends.element(sequence, regions.source, 0, length);
        }
        sends.publish(sequence);
        add(new Request(nextId, false, null, 0, 0, null, immediate));
        driver.kick();
    }

    /** Posts a Read, or an atomic if {@code operation} is one, whose answer goes to a slot of the sink. */
    void postRead(Operation operation, int length, int flags, int key, long address) {
        long at = slot(false);
        long sequence = at < 0 ? -1 : sends.claim(nextId);
        if (sequence < 0) {
            return;
        }
        int size = operation.isAtomic() ? Long.BYTES : length;
        sends.describe(sequence, operation, size, address, key, SendWorkRequest.SIGNALED | flags);
        if (operation.isAtomic()) {
            sends.operands(sequence, OPERANDS[0], OPERANDS[1], OPERANDS[2], OPERANDS[3]);
        }
        sends.element(sequence, regions.sink, at, size);
        sends.publish(sequence);
        add(new Request(nextId, false, regions.sink.segment(), at, size, null, false));
        driver.kick();
    }

    void postBind(int which, int offset, int length, Access... rights) {
        long sequence = sends.claim(nextId);
        if (sequence < 0) {
            return;
        }
        sends.bind(sequence, regions.window(which), regions.backing, offset, length, AccessFlags.of(Set.of(rights)),
                SendWorkRequest.SIGNALED);
        sends.publish(sequence);
        add(new Request(nextId, false, null, 0, 0, regions.bound(which, offset, length), false));
        ground.grant(regions.backing.segment(), offset, length);
        driver.kick();
    }

    void postInvalidate(int key) {
        long sequence = sends.claim(nextId);
        if (sequence < 0) {
            return;
        }
        sends.describe(sequence, Operation.LOCAL_INVALIDATE, 0, 0, key, SendWorkRequest.SIGNALED);
        sends.publish(sequence);
        add(new Request(nextId, false, null, 0, 0, new Regions.Binding(null, key, 0, 0), false));
        driver.kick();
    }

    void deregisterSpare() {
        if (table.remove(regions.spare)) {
            regions.revoke(regions.spare.stag());
        }
        ground.check();
        grant();
    }

    // The rules that must hold.

    /** Works out what the peer may change from now on. */
    void grant() {
        ground.grantNothing();
        if (!stream.state().receives()) {
            return;
        }
        regions.grant(ground);
        for (Request each : outstanding) {
            if (each.part() != null) {
                ground.grant(each.part(), each.offset(), each.length());
            }
        }
    }

    /** Looks at memory, completions and buffers after something has happened. */
    void check() {
        if (defect != null) {
            throw new AssertionError("an exception ended the connection", defect);
        }
        ground.check();
        poll();
        if (ring.isOverrun()) {
            throw new AssertionError("the completion ring is overrun");
        } else if (held > MOST_HELD) {
            throw new AssertionError("the stream holds " + held + " bytes");
        } else if (told > 1) {
            throw new AssertionError("the end is told twice");
        }
        grant();
    }

    private void poll() {
        ring.poll(Described.of(completions));
        while (completions.next()) {
            long id = completions.id();
            boolean receive = completions.opcode() == CompletionOpcode.RECEIVE
                    || completions.opcode() == CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE;
            Request done = outstanding.stream().filter(each -> each.id() == id).findFirst()
                    .orElseThrow(() -> new AssertionError("request " + id + " completed twice"));
            Request first = outstanding.stream().filter(each -> each.receive() == done.receive()).findFirst().orElseThrow();
            if (first != done) {
                throw new AssertionError("request " + id + " overtakes " + first.id());
            }
            outstanding.remove(done);
            log.add(id + " " + completions.status() + " " + completions.opcode() + " " + completions.vendorError());
            if (completions.status() == CompletionStatus.SUCCESS) {
                succeeded(done, receive);
            } else if (stream.state().receives() && !stream.state().isOver()) {
                throw new AssertionError(completions.status() + ", and the stream goes on");
            }
        }
    }

    private void succeeded(Request done, boolean receive) {
        immediates += done.immediate() ? 1 : 0;
        if (done.receive() != receive) {
            throw new AssertionError("request " + done.id() + " completed as " + completions.opcode());
        }
        if (receive) {
            boolean carries = !completions.hasImmediate64() && !completions.hasImmediate();
            if (carries && completions.byteLength() > done.length()) {
                throw new AssertionError("a Send of " + completions.byteLength() + " bytes in a receive of " + done.length());
            }
            if (completions.hasImmediate64() && completions.immediate() != (int) (completions.immediate64() >>> 32)) {
                throw new AssertionError("the 32 bits of immediate data are not the first of the 64");
            }
            received.add(new Received(done.offset(), completions.byteLength(), completions.opcode(),
                    completions.hasImmediate64() ? completions.immediate64() : null));
            if (completions.hasInvalidatedKey()) {
                regions.revoke(completions.invalidatedKey());
            }
        } else if (done.binding() != null && done.binding().window() == null) {
            regions.revoke(done.binding().stag());
        } else if (done.binding() != null) {
            regions.succeeded(done.binding());
        }
    }

    @Override
    public void onEnded(EndReason reason) {
        told++;
        defect = reason.kind() == EndReason.Kind.DEFECT ? reason.cause() : null;
    }

    @Override
    public void onTerminateSent(int error) {
        if (terminate != TerminateCode.NONE) {
            throw new AssertionError("two Terminates are sent");
        }
        terminate = error;
    }

    /** Ends the connection, if it has not ended, and looks at what is left. */
    void end() {
        grant();
        driver.close();
        loop.run();
        check();
        if (!outstanding.isEmpty()) {
            throw new AssertionError("outstanding after close(): " + outstanding);
        }
        for (int i = 0; i < 16 && !channel.isClosed(); i++) {
            if (!loop.sleepToTimer()) {
                throw new AssertionError("nothing closes the connection: " + stream.state() + ", " + stream.outbound().stage());
            }
        }
        check();
        if (!channel.isClosed() || told != 1) {
            throw new AssertionError("the connection is not closed, or nobody was told: " + stream.state() + ", told " + told);
        }
        int before = buffers;
        for (int i = 0; i < before; i++) {
            if (pool.take() == null || buffers != before) {
                throw new AssertionError("a buffer was not given back to the pool");
            }
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
