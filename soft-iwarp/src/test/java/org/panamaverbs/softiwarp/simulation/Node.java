package org.panamaverbs.softiwarp.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.Access;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.fixtures.MarkedStream;
import org.panamaverbs.softiwarp.fixtures.StreamEnds;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.progress.StreamDriver;
import org.panamaverbs.softiwarp.qp.CloseSequence;
import org.panamaverbs.softiwarp.qp.EndReason;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamOptions;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.Origin;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.ReceiveRing;
import org.panamaverbs.softiwarp.queue.Receives;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.queue.SharedReceiveRing;
import org.panamaverbs.softiwarp.queue.WorkQueue;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.AccessFlags;

/** One side of a run: a program at random, the queues and the stream under it, and the model of what must come of it. */
final class Node implements StreamDriver.Listener {
    private static final int RING = 1 << 12;
    private static final long REGION = 1 << 19;
    private static final int SPARE = 8;
    private static final ThreadLocal<MemorySegment[][]> GROUND = ThreadLocal.withInitial(Node::ground);

    private final World world;
    private final Setup setup;
    private final int index;
    private final SimulatedChannel channel;
    private final Agreement agreement;
    private final SimulatedLoop loop;
    private final StagTable<RegisteredMemory> table;
    private final Object domain = new Object();
    private final SendQueue sends;
    private final WorkQueue receiveRing;
    private final Receives receives;
    private final Stream stream;
    private final StreamDriver driver;
    private final int mulpdu;

    private final Memory source;
    private final Memory sink;
    private final Memory landing;
    private final Memory writable;
    private final Memory readable;
    private final Memory counter;
    private final List<RegisteredMemory> spare = new ArrayList<>();
    private final List<SimulatedWindow> windows;

    private Node peer;
    private final Model model;
    private final Program program;
    private boolean dead;
    private boolean told;
    private long toldAt;
    private VerbsException failure;

    Node(World world, int index, SimulatedChannel channel) {
        this.world = world;
        this.setup = world.setup();
        this.index = index;
        this.channel = channel;
        this.agreement = world.opening().of(index);
        this.loop = new SimulatedLoop(world);
        int[] stag = { 0x1000 * (index + 1) };
        this.table = new StagTable<>(() -> stag[0] += 0x300, 1 << 10);
        Arena arena = Arena.ofAuto();
        MemorySegment[] ground = GROUND.get()[index];
        CompletionRing ring = new CompletionRing(RING, () -> {
            // The program polls.
        });
        this.sends = new SendQueue(setup.depth(), 2, 64, arena, world.once(2), ring, Origin.of(1));
        if (setup.shared()) {
            SharedReceiveRing shared = new SharedReceiveRing(setup.depth(), 2, () -> {
                // No limit is armed.
            });
            receiveRing = shared;
            receives = shared.forStream(ring, Origin.of(1));
        } else {
            ReceiveRing own = new ReceiveRing(setup.depth(), 2, ring, Origin.of(1));
            receiveRing = own;
            receives = own;
        }
        StreamResources resources = new StreamResources(table, domain, this, sends, receives, new InboundReads(agreement.ird()),
                new OutboundReads(agreement.ord()));
        mulpdu = setup.mulpdu();
        stream = new Stream(resources, new StreamOptions(agreement.crc(), agreement.markers(), mulpdu, setup.verify(), 2), arena,
                new BufferPool(arena, FpduWriter.LARGE_BUFFER, 1));
        driver = new StreamDriver(loop, channel, stream, this);
        channel.handler(driver);
        source = new Memory("source", ground[0], table, domain);
        sink = new Memory("sink", ground[1], table, domain, Access.LOCAL_WRITE);
        landing = new Memory("receive memory", ground[2], table, domain, Access.LOCAL_WRITE);
        writable = new Memory("writable memory", ground[3], table, domain, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        readable = new Memory("readable memory", ground[4], table, domain, Access.REMOTE_READ);
        Pattern.fill(readable.segment(), 0, 40_000, readableMessage());
        counter = new Memory("counter", ground[6], table, domain, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
        if (index == 1) {
            writable.openWindow(table, domain, this);
            readable.openWindow(table, domain, this);
        }
        for (int i = 0; i < SPARE; i++) {
            RegisteredMemory memory = new RegisteredMemory(ground[5], domain, AccessFlags.REMOTE_WRITE | AccessFlags.LOCAL_WRITE,
                    ground[5].address(), this);
            table.add(memory);
            spare.add(i % 2 == 0 ? memory : Memory.window(table, domain, this, memory));
        }
        windows = List.of(window(true, writable), window(false, writable), window(world.once(2), readable), window(world.once(2), counter));
        model = new Model(world, this, ring);
        program = new Program(world, this, model);
    }

    private SimulatedWindow window(boolean ofOneStream, Memory memory) {
        return new SimulatedWindow(table, domain, ofOneStream, memory);
    }

    private static MemorySegment[][] ground() {
        MemorySegment[][] all = new MemorySegment[2][7];
        for (MemorySegment[] each : all) {
            for (int i = 0; i < 5; i++) {
                each[i] = Memory.allocate(REGION);
            }
            each[5] = Memory.allocate(64);
            each[6] = Memory.allocate(64);
        }
        return all;
    }

    void meet(Node other) {
        peer = other;
        model.meet(other);
        program.meet(other);
    }

    Model model() {
        return model;
    }

    Program program() {
        return program;
    }

    SendQueue sends() {
        return sends;
    }

    WorkQueue receives() {
        return receiveRing;
    }

    StreamDriver driver() {
        return driver;
    }

    List<SimulatedWindow> windows() {
        return windows;
    }

    /** An STag by which the peer may reach a part of memory: that of its registration, or of a window. */
    int keyOf(Memory memory, long offset, long length) {
        for (SimulatedWindow window : windows) {
            if (window.covers(memory, offset, length) && world.once(2)) {
                return window.key();
            }
        }
        return memory.registered().stag();
    }

    /** An STag by which the peer may not reach a part of memory. */
    int wrongKeyOf(Memory memory, long offset, long length) {
        for (SimulatedWindow window : windows) {
            if (!window.isChanging() && !window.covers(memory, offset, length) && world.once(3)) {
                return window.key();
            }
        }
        return memory.registered().stag() ^ 0x40;
    }

    /** Whether an STag is that of a window's binding, of any time. */
    boolean isWindow(int key) {
        return windows.stream().anyMatch(window -> window.key() >>> Byte.SIZE == key >>> Byte.SIZE);
    }

    /** How many bytes the peer may reach by an STag of a window, from a place in memory on. */
    long reachOf(int key, Memory memory, long offset) {
        return windows.stream().filter(window -> window.key() == key).mapToLong(window -> window.reach(memory, offset)).sum();
    }

    /** How many Reads and atomics it may have outstanding. */
    int outboundReads() {
        return agreement.ord();
    }

    List<RegisteredMemory> spare() {
        return spare;
    }

    Memory source() {
        return source;
    }

    Memory landing() {
        return landing;
    }

    Memory readable() {
        return readable;
    }

    List<Memory> memories() {
        return List.of(source, sink, landing, writable, readable, counter);
    }

    void deregister(Memory memory) {
        // Together with the windows that are bound to it.
        table.remove(memory.region());
        memory.deregistered();
    }

    boolean isTold() {
        return told;
    }

    /**
     * Whether the other side ended so long before this one that it stopped waiting for this side's end, and reset the connection: that
     * takes a network which moves single bytes.
     */
    boolean isLate() {
        return toldAt - peer.toldAt >= CloseSequence.PATIENCE_NANOS;
    }

    boolean isDead() {
        return dead;
    }

    boolean isRunning() {
        return stream.state() == StreamState.RTS;
    }

    boolean isChannelClosed() {
        return channel.isClosed();
    }

    boolean isLeaderBusy() {
        return loop.isBusy();
    }

    boolean isGood() {
        return StreamEnds.errorCode(stream) == TerminateCode.NONE;
    }

    VerbsException failure() {
        return failure;
    }

    int index() {
        return index;
    }

    int mulpdu() {
        return mulpdu;
    }

    boolean usesCrc() {
        return setup.crc();
    }

    boolean sendsReady() {
        return index == 0 && setup.ready() != ReadyIndication.NONE;
    }

    /** The opcode of the client's first message. */
    int readyOpcode() {
        return switch (setup.ready()) {
            case READ -> Rdmap.READ_REQUEST;
            case SEND -> Rdmap.SEND;
            default -> Rdmap.WRITE;
        };
    }

    /** All that it has sent, without Markers. */
    byte[] record() {
        byte[] bytes = channel.outgoing().record();
        if (!setup.marked(index)) {
            return bytes;
        }
        MarkedStream stream = new MarkedStream(setup.crc());
        stream.add(bytes);
        stream.end();
        return stream.plain();
    }

    List<Request> requests() {
        return model.requests();
    }

    Memory writable() {
        return writable;
    }

    /** 64 bytes, of which the peer's atomics change the first 8. */
    Memory counter() {
        return counter;
    }

    Memory sink() {
        return sink;
    }

    /** The pattern of a request's bytes. */
    long message(Request request) {
        return (index + 1) * 1_000_003L + request.id;
    }

    /** The pattern of the memory that the peer may read. */
    long readableMessage() {
        return 77_777L + index;
    }

    long nextTimer() {
        return dead ? Long.MAX_VALUE : loop.nextTimer();
    }

    void start() {
        stream.connect(index == 1, agreement.ready());
        loop.lead(driver::start);
    }

    @Override
    public void onEnded(EndReason reason) {
        require(!told, "the end is told twice");
        told = true;
        toldAt = world.now();
        failure = reason.failure("the connection");
        world.note(this + " is told of its end: " + (failure == null ? "in good order" : failure.getMessage()));
    }

    void require(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(this + ": " + otherwise);
        }
    }

    // Steps.

    /** Does something; {@code false} if there was nothing to do. */
    boolean step() {
        if (dead) {
            return false;
        }
        int choice = world.random().nextInt(10);
        if (choice < 3 && channel.hasEdges()) {
            loop.turn(channel::deliver);
            return true;
        }
        if (choice < 7 && loop.hasWork()) {
            loop.step();
            return true;
        }
        if (choice < 9 && program.act()) {
            return true;
        }
        model.poll();
        if (channel.hasEdges()) {
            loop.turn(channel::deliver);
            return true;
        }
        if (loop.hasWork()) {
            loop.step();
            return true;
        }
        return program.act();
    }

    /** While one thread is within a call of the system, another one does something. */
    void meanwhile() {
        if (loop.isBusy()) {
            loop.follow(program::post);
        } else if (channel.hasEdges()) {
            loop.turn(channel::deliver);
        } else if (loop.hasWork()) {
            loop.step();
        }
    }

    /** The faults of the network and of machines. */
    void trouble() {
        if (!setup.breaks() || dead || channel.isClosed()) {
            if (!dead && world.once(3)) {
                channel.incoming().stall(world.random().nextLong(300_000_000L));
            }
            return;
        }
        switch (world.random().nextInt(6)) {
            case 0 -> {
                world.incident(World.Incident.RESET);
                world.note("the connection is reset");
                channel.incoming().reset();
                channel.outgoing().reset();
            }
            case 1 -> {
                world.incident(World.Incident.DEATH);
                world.note(this + " dies");
                dead = true;
                if (world.once(2)) {
                    channel.incoming().reset();
                    channel.outgoing().reset();
                }
            }
            case 2 -> {
                world.incident(World.Incident.LONG_STALL);
                world.note("nothing arrives at " + this + " for long");
                channel.incoming().stall(5_000_000_000L);
            }
            default -> channel.incoming().stall(world.random().nextLong(300_000_000L));
        }
    }

    // The end.

    boolean isOver() {
        return dead || program.isClosed() && channel.isClosed() && !loop.hasWork();
    }

    /** Whether the last FPDU on the wire may be cut: the connection broke, or the other side reads no more. */
    boolean mayLeaveAnFpdu() {
        return dead || peer.dead || channel.outgoing().isBroken() || world.hasIncident();
    }

    /** How it ended, for counts. */
    String outcome() {
        if (dead) {
            return "died";
        }
        int code = StreamEnds.errorCode(stream);
        if (code == TerminateCode.NONE) {
            return "good";
        }
        return (StreamEnds.isErrorFromPeer(stream) ? "peer's " : "") + "0x%04x".formatted(code);
    }

    @Override
    public String toString() {
        return (index == 0 ? "client" : "server") + " (" + stream.state() + ", " + stream.outbound().stage() + ")";
    }
}
