package org.panamaverbs.softiwarp.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.QueuePair;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.progress.StreamDriver;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.qp.StreamOptions;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.ReceiveQueue;
import org.panamaverbs.softiwarp.queue.Receives;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.softiwarp.queue.SharedReceiveRing;
import org.panamaverbs.softiwarp.queue.WorkQueue;
import org.panamaverbs.softiwarp.rdmap.StreamResources;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** One side of a run: a program at random, the queues and the stream under it, and the model of what must come of it. */
final class Node implements StreamDriver.Listener {
    private static final int RING = 1 << 12;
    private static final long REGION = 1 << 19;
    private static final int SPARE = 8;
    private static final int POLLED = 16;
    private static final long RECEIVE_IDS = 1L << 32;
    /** A program that only waits for the peer's end gives up after so long. */
    private static final long PASSIVE_NANOS = 8_000_000_000L;
    private static final ThreadLocal<MemorySegment[][]> GROUND = ThreadLocal.withInitial(Node::ground);

    private final World world;
    private final Setup setup;
    private final int index;
    private final SimulatedChannel channel;
    private final SimulatedLoop loop;
    private final StagTable table;
    private final Object domain = new Object();
    private final CompletionRing ring;
    private final MemorySegment polled;
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
    private final List<RegisteredMemory> spare = new ArrayList<>();

    private Node peer;
    private final List<Request> requests = new ArrayList<>();
    private final List<Posted> posted = new ArrayList<>();
    private int nextRequestToComplete;
    private int nextReceiveToComplete;
    private int sendsPosted;
    private int received;
    private int operations;
    private boolean passive;
    private boolean ended;
    private int postedBeforeEnd = Integer.MAX_VALUE;
    private boolean closed;
    private boolean dead;
    private boolean told;
    private VerbsException failure;
    private boolean flushedBeforeTold;

    Node(World world, int index, SimulatedChannel channel) {
        this.world = world;
        this.setup = world.setup();
        this.index = index;
        this.channel = channel;
        this.loop = new SimulatedLoop(world);
        int[] stag = { 0x1000 * (index + 1) };
        this.table = new StagTable(() -> stag[0] += 0x300, 1 << 10);
        Arena arena = Arena.ofAuto();
        MemorySegment[] ground = GROUND.get()[index];
        this.ring = new CompletionRing(ground[5], RING, () -> {
            // The program polls.
        });
        this.polled = arena.allocate(Completions.SIZE * POLLED, 8);
        this.sends = new SendQueue(setup.depth(), 2, 64, arena, world.once(2), ring, 1);
        if (setup.shared()) {
            SharedReceiveRing shared = new SharedReceiveRing(setup.depth(), 2, () -> {
                // No limit is armed.
            });
            receiveRing = shared;
            receives = shared.forStream(ring, 1);
        } else {
            ReceiveQueue own = new ReceiveQueue(setup.depth(), 2, ring, 1);
            receiveRing = own;
            receives = own;
        }
        StreamResources resources = new StreamResources(table, domain, sends,
                receives, new InboundReads(setup.reads()), new OutboundReads(setup.reads()));
        mulpdu = setup.mulpdu();
        stream = new Stream(resources, new StreamOptions(setup.crc(), mulpdu, setup.verify(), 2, 2), arena,
                new BufferPool(arena, FpduWriter.LARGE_BUFFER, 1));
        driver = new StreamDriver(loop, channel, stream, this);
        channel.handler(driver);
        source = new Memory("source", ground[0], table, domain);
        sink = new Memory("sink", ground[1], table, domain, Access.LOCAL_WRITE);
        landing = new Memory("receive memory", ground[2], table, domain, Access.LOCAL_WRITE);
        writable = new Memory("writable memory", ground[3], table, domain, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        readable = new Memory("readable memory", ground[4], table, domain, Access.REMOTE_READ);
        Pattern.fill(readable.segment(), 0, 40_000, readableMessage());
        for (int i = 0; i < SPARE; i++) {
            RegisteredMemory memory = new RegisteredMemory(ground[6], domain, Access.bits(Access.REMOTE_WRITE, Access.LOCAL_WRITE));
            table.add(memory);
            spare.add(memory);
        }
        passive = index == 1 && world.once(3);
        operations = setup.operations();
    }

    private static MemorySegment[][] ground() {
        MemorySegment[][] all = new MemorySegment[2][7];
        for (MemorySegment[] each : all) {
            for (int i = 0; i < 5; i++) {
                each[i] = Memory.allocate(REGION);
            }
            each[5] = Memory.allocate(Completions.SIZE * RING);
            each[6] = Memory.allocate(64);
        }
        return all;
    }

    void meet(Node other) {
        peer = other;
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
        return index == 0;
    }

    byte[] record() {
        return channel.outgoing().record();
    }

    List<Request> requests() {
        return requests;
    }

    Memory writable() {
        return writable;
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
        stream.connect(index == 1, index == 0);
        loop.lead(driver::start);
    }

    @Override
    public void onDisconnected(VerbsException reason) {
        require(!told, "the end is told twice");
        told = true;
        failure = reason;
        world.note(this + " is told of its end: " + (reason == null ? "in good order" : reason.getMessage()));
    }

    private void require(boolean right, String otherwise) {
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
        if (choice < 9 && act()) {
            return true;
        }
        poll();
        if (channel.hasEdges()) {
            loop.turn(channel::deliver);
            return true;
        }
        if (loop.hasWork()) {
            loop.step();
            return true;
        }
        return act();
    }

    /** While one thread is within a call of the system, another one does something. */
    void meanwhile() {
        if (loop.isBusy()) {
            loop.follow(this::post);
        } else if (channel.hasEdges()) {
            loop.turn(channel::deliver);
        } else if (loop.hasWork()) {
            loop.step();
        }
    }

    /** The program does something; {@code false} if it has nothing to do but wait. */
    private boolean act() {
        if (closed) {
            return false;
        }
        if (operations > 0 && !ended) {
            operations--;
            if (setup.mischief() && world.once(25)) {
                mischief();
            } else {
                post();
            }
            return true;
        }
        if (!ended && (!passive || world.now() > PASSIVE_NANOS)) {
            end();
            return true;
        }
        if (told && !closed && world.once(20)) {
            // What is posted after the end is flushed.
            post();
            return true;
        }
        if (told && !closed && channel.isClosed() && world.once(3)) {
            close();
            return true;
        }
        return false;
    }

    private void end() {
        if (world.once(4) && setup.mischief()) {
            close();
            return;
        }
        ended = true;
        postedBeforeEnd = requests.size();
        world.note(this + " disconnects");
        sends.ringDoorbell();
        driver.disconnect();
    }

    private void close() {
        if (!told) {
            world.incident(World.Incident.CLOSE);
        }
        world.note(this + " closes");
        ended = true;
        postedBeforeEnd = Math.min(postedBeforeEnd, requests.size());
        driver.close();
        closed = true;
        poll();
        require(sends.retired() == sends.posted(), "a request is outstanding after close()");
        if (!setup.shared()) {
            require(receiveRing.retired() == receiveRing.posted(), "a receive is outstanding after close()");
        }
    }

    private void post() {
        if (closed) {
            return;
        }
        switch (world.random().nextInt(12)) {
            case 0, 1, 2, 3 -> postReceive();
            case 4, 5, 6 -> postSend();
            case 7, 8 -> postWrite();
            case 9 -> postRead();
            case 10 -> postInvalidate();
            default -> {
                sends.ringDoorbell();
                driver.kick();
            }
        }
    }

    private long length() {
        return world.once(8) ? 0 : world.once(4) ? world.random().nextInt(65) : 1 + world.random().nextInt(setup.longest());
    }

    private int flags() {
        return (world.once(2) ? QueuePair.SIGNALED : 0) | (world.once(5) ? QueuePair.MORE : 0) | (world.once(10) ? QueuePair.FENCE : 0);
    }

    private void postReceive() {
        long length = length();
        long offset = landing.slot(length);
        if (offset < 0 || !landing.isRegistered()) {
            return;
        }
        Posted receive = new Posted(RECEIVE_IDS + posted.size(), offset, length);
        long sequence = receiveRing.claim(receive.id);
        if (sequence < 0) {
            return;
        }
        elements(receiveRing, sequence, landing, offset, length);
        posted.add(receive);
        receiveRing.publish(sequence);
        if (stream.state() != StreamState.RTS) {
            driver.flushLate();
        }
    }

    /** In one part or in two. */
    private void elements(WorkQueue queue, long sequence, Memory memory, long offset, long length) {
        long first = world.once(3) ? world.random().nextLong(length + 1) : length;
        queue.element(sequence, memory.registered(), offset, first);
        if (first < length) {
            queue.element(sequence, memory.registered(), offset + first, length - first);
        }
    }

    private void postSend() {
        long length = length();
        boolean sure = sendsPosted < peer.posted.size() && peer.posted.get(sendsPosted).capacity >= length;
        if (!sure && !(setup.mischief() && world.once(30))) {
            return;
        }
        long offset = source.slot(length);
        if (offset < 0 || !source.isRegistered()) {
            return;
        }
        int invalidated = !peer.spare.isEmpty() && world.once(10) ? peer.spare.removeLast().stag() : 0;
        Request request = new Request(requests.size(), Operation.SEND, length, offset, 0,
                flags() | (invalidated != 0 ? SendQueue.INVALIDATE : 0) | (world.once(5) ? QueuePair.SOLICITED : 0), invalidated, false);
        if (submit(request, invalidated, 0)) {
            sendsPosted++;
            if (!sure) {
                world.incident(World.Incident.SEND_WITHOUT_RECEIVE);
            }
        }
    }

    private void postWrite() {
        long length = length();
        boolean wrong = setup.mischief() && world.once(40);
        long offset = source.slot(length);
        if (offset < 0 || !source.isRegistered() || !peer.writable.isRegistered() && !wrong) {
            return;
        }
        long target = peer.writable.slot(length);
        if (target < 0) {
            return;
        }
        Request request = new Request(requests.size(), Operation.WRITE, length, offset, target, flags(), 0, wrong && length > 0);
        RegisteredMemory memory = peer.writable.registered();
        int key = request.wrong ? memory.stag() ^ 0x40 : memory.stag();
        if (submit(request, key, memory.base() + target) && request.wrong) {
            world.incident(World.Incident.WRONG_KEY);
        }
    }

    private void postRead() {
        long length = Math.min(length(), 30_000);
        boolean wrong = setup.mischief() && world.once(40) && length > 0;
        long offset = sink.slot(length);
        if (offset < 0 || !sink.isRegistered() || !peer.readable.isRegistered() && !wrong) {
            return;
        }
        long from = world.random().nextLong(40_000 - length);
        Request request = new Request(requests.size(), Operation.READ, length, offset, from, flags(), 0, wrong);
        RegisteredMemory memory = peer.readable.registered();
        int key = wrong ? memory.stag() ^ 0x40 : memory.stag();
        if (submit(request, key, memory.base() + from) && wrong) {
            world.incident(World.Incident.WRONG_KEY);
        }
    }

    private void postInvalidate() {
        if (spare.isEmpty() || !world.once(4)) {
            return;
        }
        int key = spare.removeLast().stag();
        submit(new Request(requests.size(), Operation.LOCAL_INVALIDATE, 0, 0, 0, flags(), key, false), key, 0);
    }

    private boolean submit(Request request, int key, long address) {
        long sequence = sends.claim(request.id);
        if (sequence < 0) {
            return false;
        }
        sends.describe(sequence, request.operation, request.length, address, key, request.flags);
        if (request.operation == Operation.READ) {
            sends.element(sequence, sink.registered(), request.offset, request.length);
        } else if (request.operation != Operation.LOCAL_INVALIDATE) {
            Pattern.fill(source.segment(), request.offset, request.length, message(request));
            elements(sends, sequence, source, request.offset, request.length);
        }
        requests.add(request);
        world.note(this + " posts " + request);
        sends.publish(sequence);
        if ((request.flags & QueuePair.MORE) == 0) {
            driver.kick();
        }
        return true;
    }

    private void mischief() {
        if (loop.isBusy()) {
            return;
        }
        List<Memory> all = List.of(source, sink, landing, writable, readable);
        Memory memory = all.get(world.random().nextInt(all.size()));
        if (memory.isRegistered()) {
            world.incident(World.Incident.DEREGISTER);
            world.note(this + " deregisters");
            table.remove(memory.registered());
            memory.deregistered();
        }
    }

    /** What the network and machines do. */
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

    // Completions.

    private void poll() {
        for (int count = ring.poll(polled, POLLED); count > 0; count = ring.poll(polled, POLLED)) {
            for (int i = 0; i < count; i++) {
                long at = i * Completions.SIZE;
                long id = polled.get(ValueLayout.JAVA_LONG, at + Completions.ID);
                CompletionStatus status = CompletionStatus.of(polled.get(ValueLayout.JAVA_INT, at + Completions.STATUS));
                flushedBeforeTold |= status == CompletionStatus.FLUSHED && !told;
                if (id >= RECEIVE_IDS) {
                    onReceive((int) (id - RECEIVE_IDS), status, Integer.toUnsignedLong(polled.get(ValueLayout.JAVA_INT,
                            at + Completions.BYTE_LENGTH)));
                } else {
                    onRequest((int) id, status, CompletionOpcode.of(polled.get(ValueLayout.JAVA_INT, at + Completions.OPCODE)));
                }
            }
        }
        require(!ring.isOverrun(), "the completion queue overran");
    }

    private void onRequest(int id, CompletionStatus status, CompletionOpcode opcode) {
        require(id >= nextRequestToComplete && id < requests.size(), "request " + id + " completes twice or out of order");
        for (; nextRequestToComplete < id; nextRequestToComplete++) {
            Request silent = requests.get(nextRequestToComplete);
            require((silent.flags & QueuePair.SIGNALED) == 0, silent + " was signalled and completes silently");
            complete(silent, CompletionStatus.SUCCESS);
        }
        nextRequestToComplete++;
        Request request = requests.get(id);
        require(opcode.name().equals(request.operation.name()), request + " completes as " + opcode);
        complete(request, status);
    }

    private void complete(Request request, CompletionStatus status) {
        request.status = status;
        world.note(this + ": " + request);
        if (request.operation == Operation.READ) {
            if (status == CompletionStatus.SUCCESS && sink.isRegistered()) {
                for (long i = 0; i < request.length; i++) {
                    byte value = sink.segment().get(ValueLayout.JAVA_BYTE, request.offset + i);
                    require(value == Pattern.at(peer.readableMessage(), request.remoteOffset + i), "byte " + i + " of " + request);
                }
            }
            sink.takeBack(request.offset, request.length);
        } else if (request.operation != Operation.LOCAL_INVALIDATE) {
            source.takeBack(request.offset, request.length);
        }
    }

    private void onReceive(int number, CompletionStatus status, long length) {
        require(number == nextReceiveToComplete, "receive " + number + " completes instead of " + nextReceiveToComplete);
        nextReceiveToComplete++;
        Posted receive = posted.get(number);
        receive.status = status;
        receive.length = length;
        world.note(this + ": receive " + number + " " + status);
        if (status == CompletionStatus.SUCCESS) {
            Request send = peer.sendNumber(received++);
            require(send != null && send.length == length, "received " + length + " bytes for " + send);
            if (landing.isRegistered()) {
                long wrong = Pattern.mismatch(landing.segment(), receive.offset, length, peer.message(send));
                require(wrong < 0, "byte " + wrong + " of what " + send + " brought");
                wrong = Pattern.mismatch(landing.segment(), receive.offset + length, receive.capacity - length, Memory.GUARD);
                require(wrong < 0, "byte " + wrong + " behind what " + send + " brought");
            }
            peer.requireWritten(send, this);
        }
        landing.takeBack(receive.offset, receive.capacity);
    }

    /** The Send with this number, in the order posted. */
    private Request sendNumber(int number) {
        int seen = 0;
        for (Request request : requests) {
            if (request.operation == Operation.SEND && seen++ == number) {
                return request;
            }
        }
        return null;
    }

    /** Once a Send is delivered, all Writes before it are in their place. */
    private void requireWritten(Request send, Node target) {
        for (int i = 0; i < send.id && target.writable.isRegistered(); i++) {
            Request write = requests.get(i);
            if (write.operation == Operation.WRITE && !write.wrong) {
                requireInPlace(write, target);
            }
        }
    }

    private void requireInPlace(Request write, Node target) {
        long wrong = Pattern.mismatch(target.writable.segment(), write.remoteOffset, write.length, message(write));
        require(wrong < 0, "byte " + wrong + " of " + write + " is not in its place");
    }

    // The end.

    boolean isOver() {
        return dead || closed && channel.isClosed() && !loop.hasWork();
    }

    /** Whether the last FPDU on the wire may be cut: the connection broke, or the other side reads no more. */
    boolean mayLeaveAnFpdu() {
        return dead || peer.dead || channel.outgoing().isBroken() || world.hasIncident();
    }

    void check() {
        if (!dead) {
            poll();
            require(told, "nobody was told of the end");
            require(!flushedBeforeTold, "a request was flushed before the end was told");
            for (; nextRequestToComplete < requests.size(); nextRequestToComplete++) {
                Request silent = requests.get(nextRequestToComplete);
                require((silent.flags & QueuePair.SIGNALED) == 0, silent + " never completed");
                complete(silent, CompletionStatus.SUCCESS);
            }
            require(setup.shared() || nextReceiveToComplete == posted.size(), "a receive never completed");
        }
        WireCheck wire = new WireCheck(this, peer);
        int whole = wire.run();
        int sent = 0;
        for (Request request : requests) {
            boolean goes = request.operation != Operation.LOCAL_INVALIDATE;
            require(!goes || request.status != CompletionStatus.SUCCESS || sent < whole, request + " succeeded, and was not sent whole");
            sent += goes ? 1 : 0;
        }
        checkMemory();
        if (!world.hasIncident()) {
            checkGoodEnd();
        }
    }

    private void checkMemory() {
        for (Memory memory : List.of(source, sink, landing, writable, readable)) {
            memory.check(toString());
        }
        if (writable.isRegistered() && !world.incidents().contains(World.Incident.FLIPPED_BIT)) {
            checkWritable();
        }
    }

    /** Each byte of the writable memory is the guard's, or that of the Write which it was given out for. */
    private void checkWritable() {
        long at = 0;
        for (Request write : peer.requests) {
            if (write.operation == Operation.WRITE && write.length > 0) {
                requireGuard(at, write.remoteOffset);
                for (long i = 0; i < write.length; i++) {
                    byte value = writable.segment().get(ValueLayout.JAVA_BYTE, write.remoteOffset + i);
                    require(value == Memory.GUARD || !write.wrong && value == Pattern.at(peer.message(write), i),
                            "byte " + i + " of the target of " + write + " is neither old nor new");
                }
                at = write.remoteOffset + write.length;
            }
        }
        requireGuard(at, writable.segment().byteSize());
    }

    private void requireGuard(long from, long to) {
        long wrong = Pattern.mismatch(writable.segment(), from, to - from, Memory.GUARD);
        require(wrong < 0, "byte " + (from + wrong) + " of the writable memory was written, and no Write asked for it");
    }

    /** Nothing but posting and disconnecting happened: all that was posted before the only disconnect is done, and both ends are good. */
    private void checkGoodEnd() {
        require(failure == null, "failed: " + failure);
        require(stream.errorCode() == TerminateCode.NONE, "error " + TerminateCode.describe(stream.errorCode()));
        if (peer.passive && !peer.ended) {
            for (int i = 0; i < Math.min(postedBeforeEnd, requests.size()); i++) {
                require(requests.get(i).status == CompletionStatus.SUCCESS, requests.get(i) + ", posted before the disconnect");
            }
        }
    }

    /** How it ended, for counts. */
    String outcome() {
        if (dead) {
            return "died";
        }
        int code = stream.errorCode();
        if (code == TerminateCode.NONE) {
            return "good";
        }
        return (stream.isErrorFromPeer() ? "peer's " : "") + "0x%04x".formatted(code);
    }

    @Override
    public String toString() {
        return (index == 0 ? "client" : "server") + " (" + stream.state() + ", " + stream.transmission() + ")";
    }
}
