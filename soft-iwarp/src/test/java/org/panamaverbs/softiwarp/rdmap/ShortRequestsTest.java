package org.panamaverbs.softiwarp.rdmap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.softiwarp.ddp.DdpTransmitter;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.InboundReads;
import org.panamaverbs.softiwarp.queue.Origin;
import org.panamaverbs.softiwarp.queue.OutboundReads;
import org.panamaverbs.softiwarp.queue.ReceiveRing;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.spi.SendWorkRequest;

/** Which requests DDP sends in one step, and which are left to {@link OutboundMessages#next}. */
class ShortRequestsTest {
    private static final int LENGTH = 64;

    @TempDir
    Path folder;

    private final Arena arena = Arena.ofShared();
    private final CompletionRing ring = new CompletionRing(16, () -> {
    });
    private final SendQueue sends = new SendQueue(16, 2, 512, Arena.ofAuto(), true, ring, Origin.of(1));
    private final InboundReads inboundReads = new InboundReads(1);
    private final StreamResources resources = new StreamResources(new StagTable<>(() -> 0x100, 16), this, this, sends,
            new ReceiveRing(1, 1, ring, Origin.of(1)), inboundReads, new OutboundReads(1));
    private final MemorySegment control = arena.allocate(Requester.CONTROL_SIZE, 8);
    private final Requester requester = new Requester(resources, control);
    private final OutboundMessages messages = new OutboundMessages(resources.outboundReads(), control, requester,
            new ReadResponder(inboundReads, control));
    private final RegisteredMemory memory = new RegisteredMemory(arena.allocate(1024), this, 0);

    private DdpTransmitter transmitter(boolean markers) {
        return new DdpTransmitter(
                new FpduWriter(false, markers, 1024, 2, Arena.ofAuto(), new BufferPool(Arena.ofAuto(), FpduWriter.LARGE_BUFFER, 1)),
                Rdmap.QUEUES);
    }

    private void post(Operation operation, RegisteredMemory from, int length, int flags) {
        long sequence = sends.claim(7);
        sends.describe(sequence, operation, length, 0, 0x77, flags);
        sends.operands(sequence, 0, 0, 0, 0);
        if ((flags & SendWorkRequest.INLINE) == 0) {
            sends.element(sequence, from, 0, length);
        } else {
            sends.copyInline(sequence, from.segment(), 0, 0, length);
        }
        sends.publish(sequence);
    }

    /** The bytes of payload that are sent in one step. */
    private long sent() {
        return messages.sendShort(transmitter(false));
    }

    @ParameterizedTest
    @CsvSource({ "SEND, 1, 0", "SEND, 512, 0", "SEND, 64, 2", "SEND, 64, 4", "SEND, 64, 8", "SEND, 64, 131072", "WRITE, 1, 0",
            "WRITE, 512, 2", "WRITE, 512, 8" })
    void shouldSendAShortRequestInOneStep(Operation operation, int length, int flags) {
        post(operation, memory, length, flags);
        assertEquals(length, sent());
        assertFalse(messages.next(transmitter(false).message(), true) != null, "it is sent again");
    }

    @ParameterizedTest
    @CsvSource({ "SEND, 0, 0", "SEND, 513, 0", "SEND, 64, 1", "WRITE, 0, 0", "WRITE, 513, 0", "WRITE, 64, 1", "WRITE, 64, 65536",
            "WRITE_IMMEDIATE, 64, 0", "IMMEDIATE, 0, 0", "READ, 64, 0", "COMPARE_AND_SWAP, 8, 0", "FETCH_AND_ADD, 8, 0" })
    void shouldLeaveAnyOtherRequest(Operation operation, int length, int flags) {
        post(operation, memory, length, flags);
        assertEquals(0, sent());
        assertEquals((flags & SendWorkRequest.MORE) == 0, messages.next(transmitter(false).message(), true) != null);
    }

    @Test
    void shouldSendARunUpToTheNextOtherRequest() {
        post(Operation.WRITE, memory, LENGTH, 0);
        post(Operation.SEND, memory, LENGTH, SendWorkRequest.INLINE);
        post(Operation.WRITE, new RegisteredMemory(arena.allocate(1024), this, 0), LENGTH, 0);
        post(Operation.READ, memory, LENGTH, 0);
        post(Operation.WRITE, memory, LENGTH, 0);
        DdpTransmitter transmitter = transmitter(false);
        assertEquals(3 * LENGTH, messages.sendShort(transmitter));
        assertEquals(3, transmitter.segments());
        assertTrue(messages.next(transmitter.message(), true) != null);
        assertEquals(LENGTH, messages.sendShort(transmitter));
    }

    @Test
    void shouldLeaveARequestOfTwoParts() {
        long sequence = sends.claim(7);
        sends.describe(sequence, Operation.SEND, LENGTH, 0, 0, 0);
        sends.element(sequence, memory, 0, LENGTH / 2);
        sends.element(sequence, memory, 512, LENGTH / 2);
        sends.publish(sequence);
        assertEquals(0, sent());
    }

    @Test
    void shouldLeaveAllToALayerThatPutsMarkersIntoThePayload() {
        post(Operation.SEND, memory, LENGTH, 0);
        assertEquals(0, messages.sendShort(transmitter(true)));
    }

    @Test
    void shouldLeaveAllWhileThePeerWaitsForAnAnswer() {
        post(Operation.SEND, memory, LENGTH, 0);
        assertTrue(inboundReads.add(0, 0, 0, null, 0));
        assertEquals(0, sent());
    }

    @Test
    void shouldSendTheReadyIndicationFirst() {
        messages.sendReadyFirst(Rdmap.SEND);
        post(Operation.SEND, memory, LENGTH, 0);
        assertEquals(0, sent());
        assertTrue(messages.next(transmitter(false).message(), true) != null);
        assertEquals(LENGTH, sent());
    }

    @Test
    void shouldSendNothingThatIsPostedAfterTheStop() {
        post(Operation.SEND, memory, LENGTH, 0);
        requester.stop();
        post(Operation.SEND, memory, LENGTH, 0);
        assertEquals(LENGTH, sent());
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldLeaveMemoryThatCannotBeUsed(boolean arenaCloses) {
        post(Operation.SEND, memory, LENGTH, SendWorkRequest.INLINE);
        post(Operation.SEND, memory, LENGTH, 0);
        if (arenaCloses) {
            arena.close();
        } else {
            memory.retire();
        }
        assertEquals(LENGTH, sent());
        assertEquals(0, sent());
        assertTrue(memory.retire() == arenaCloses, "no thread is left in the memory");
    }

    @Test
    void shouldLeaveAMappedFile() throws IOException {
        try (FileChannel file = FileChannel.open(folder.resolve("mapped"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            post(Operation.SEND, new RegisteredMemory(file.map(FileChannel.MapMode.READ_WRITE, 0, 1024, arena), this, 0), LENGTH, 0);
            assertEquals(0, sent());
            arena.close();
        }
    }
}
