package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_wc;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.rdmacore.queue.WrIdTable;

/** Reports of a driver that no driver should make, and those that are rare: none completes another request, or a request twice. */
class ReportFaultsTest extends OnStubDevice {
    private static final int DEPTH = 4;
    private static final RemoteMemory REMOTE = new RemoteMemory(0, 0, Long.MAX_VALUE);

    private final Completions completions = Completions.allocate(8);
    private final SendRequest request = new SendRequest();
    private Arena arena;
    private Verbs verbs;
    private CoreProtectionDomain domain;
    private CoreCompletionQueue queue;
    private MemoryRegion region;
    private Connection connection;
    private QueuePair queuePair;

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        verbs = open();
        CoreDevice device = (CoreDevice) verbs.device("stub0");
        domain = (CoreProtectionDomain) device.allocateProtectionDomain();
        queue = (CoreCompletionQueue) device.createCompletionQueue(64);
        region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
        connection = connect(domain, QueuePairAttributes.of(queue).withDepths(DEPTH, DEPTH).withAttachment("mine"));
        queuePair = connection.queuePair();
    }

    @AfterEach
    void closeAll() {
        verbs.close();
        arena.close();
        assertEquals(0, StubDevice.live("qp"));
    }

    private boolean write(long id, boolean signaled) {
        return queuePair.tryPost(request.write(id).local(region, 0, 8).remote(REMOTE, 0).signaled(signaled));
    }

    private long number(int sequence) {
        return ((WorkQueuePair) queuePair).tag() | WrIdTable.SEND | Integer.toUnsignedLong(sequence);
    }

    private void report(long number, int status, int opcode) {
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment completion = ibv_wc.allocate(confined);
            ibv_wc.wr_id(completion, number);
            ibv_wc.status(completion, status);
            ibv_wc.opcode(completion, opcode);
            ibv_wc.qp_num(completion, queuePair.number());
            ibv_wc.byte_len(completion, 8);
            StubDevice.complete(queue.address(), completion);
        }
    }

    private void report(int sequence) {
        report(number(sequence), 0, Rdma.IBV_WC_RDMA_WRITE());
    }

    /** What a program gets until the queue is empty. */
    private List<Long> polled() {
        List<Long> ids = new ArrayList<>();
        while (queue.poll(completions) > 0) {
            while (completions.next()) {
                ids.add(completions.id());
            }
        }
        return ids;
    }

    @Test
    void shouldIgnoreNumbersThatItNeverGave() {
        StubDevice.withhold();
        assertTrue(write(1, true));
        long tag = ((WorkQueuePair) queuePair).tag();
        for (long number : new long[] { 0, -1, Long.MIN_VALUE, Long.MAX_VALUE, tag ^ 1L << 33, tag ^ 1L << 43, tag ^ 1L << 44,
                tag | 1L << 63, tag }) {
            report(number, 0, Rdma.IBV_WC_RDMA_WRITE());
            report(number, CompletionStatus.FLUSHED.value(), 0);
        }
        assertEquals(List.of(), polled());
        report(0);
        assertEquals(List.of(1L), polled());
    }

    /** Before the first post, beyond the last one, and done. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 5 })
    void shouldIgnoreReportsOfSlotsThatAreFree(int status) {
        StubDevice.withhold();
        report(number(0), status, 0);
        assertEquals(List.of(), polled());
        assertTrue(write(1, true));
        for (int sequence : new int[] { -1, 1, DEPTH, DEPTH + 1, Integer.MAX_VALUE, Integer.MIN_VALUE }) {
            report(number(sequence), status, 0);
        }
        assertEquals(List.of(), polled());
        report(0);
        report(number(0), status, 0);
        assertEquals(List.of(1L), polled());
    }

    /** The slot is used again: a late copy of a report does not complete the request that has it now. */
    @Test
    void shouldIgnoreASecondReportOfARequestWhoseSlotIsUsedAgain() {
        StubDevice.withhold();
        for (int sequence = 0; sequence < 3 * DEPTH; sequence++) {
            assertTrue(write(sequence, true));
            if (sequence >= DEPTH) {
                report(sequence - DEPTH);
                assertEquals(List.of(), polled(), "request " + sequence + " is under way");
            }
            report(sequence);
            report(sequence);
            assertEquals(List.of((long) sequence), polled());
        }
    }

    /** As siw does, of a Read. Whatever the driver, what is done too early waits. */
    @Test
    void shouldKeepTheOrderOfReportsThatSkipARequest() {
        StubDevice.withhold();
        for (int i = 0; i < DEPTH; i++) {
            assertTrue(write(i, true));
        }
        report(2);
        report(2);
        report(1);
        assertEquals(List.of(), polled());
        report(0);
        assertEquals(List.of(0L, 1L, 2L), polled());
        assertFalse(queue.poll(completions) > 0);
        assertTrue(write(4, true) && write(5, true) && write(6, true));
        assertFalse(write(7, true), "request 3 is still under way");
        report(3);
        report(4);
        assertEquals(List.of(3L, 4L), polled());
    }

    @Test
    void shouldFlushInTheirOrderWhatWasReportedTooEarly() {
        StubDevice.withhold();
        StubDevice.silence();
        assertTrue(write(0, true) && write(1, true) && write(2, true));
        report(1);
        assertEquals(List.of(), polled());
        connection.disconnect();
        assertTrue(connection.awaitDisconnected(LIMIT));
        assertEquals(List.of(0L, 1L, 2L), polled());
    }

    /** Of those that the program does not want to see the device reports some, so that places become free. */
    @ParameterizedTest
    @CsvSource({ "1, 3", "2, 7", "4, 5", "4, 1000", "64, 33", "64, 40", "64, 1000" })
    void shouldSignalSelectively(int depth, int every) {
        queuePair = connect(domain, QueuePairAttributes.of(queue).withDepths(depth, 1)).queuePair();
        List<Long> seen = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            assertTrue(write(i, i % every == 0), "request " + i + " has no place");
            seen.addAll(polled());
        }
        assertEquals(LongStream.range(0, 2000).filter(i -> i % every == 0).boxed().toList(), seen);
    }

    /** The device flushes the requests that it would not have reported, too. */
    @Test
    void shouldFlushUnsignaledRequestsBeforeASignaledOne() {
        StubDevice.withhold();
        assertTrue(write(0, false) && write(1, false) && write(2, true));
        connection.disconnect();
        assertTrue(connection.awaitDisconnected(LIMIT));
        assertEquals(List.of(0L, 1L, 2L), polled());
        assertEquals(3, queuePair.statistics().requestsFailed().getAsLong());
    }

    /** A request that is not signalled fails after others that succeeded silently. */
    @Test
    void shouldReportAFailureAfterSilentSuccesses() {
        StubDevice.withhold();
        assertTrue(write(0, false) && write(1, false) && write(2, true));
        report(number(1), CompletionStatus.REMOTE_ACCESS_ERROR.value(), 0);
        assertEquals(1, queue.poll(completions));
        assertTrue(completions.next());
        assertEquals(1, completions.id());
        assertEquals(CompletionStatus.REMOTE_ACCESS_ERROR, completions.status());
        assertEquals("mine", completions.attachment());
        report(number(0), CompletionStatus.REMOTE_ACCESS_ERROR.value(), 0);
        assertTrue(connection.awaitDisconnected(LIMIT));
        assertEquals(List.of(2L), polled(), "the first is done, and the last is flushed");
    }

    /** The direction is that of the request, whatever the device says. */
    @ParameterizedTest
    @CsvSource({ "1, WRITE", "128, UNKNOWN", "129, UNKNOWN", "-1, UNKNOWN", "77, UNKNOWN", "511, UNKNOWN" })
    void shouldTakeNoSendForAReceive(int opcode, CompletionOpcode expected) {
        StubDevice.withhold();
        assertTrue(write(1, true));
        report(number(0), 0, opcode);
        assertEquals(1, queue.poll(completions));
        assertTrue(completions.next());
        assertFalse(completions.isReceive());
        assertEquals(expected, completions.opcode());
    }

    @ParameterizedTest
    @CsvSource({ "128, RECEIVE", "129, RECEIVE_WRITE_WITH_IMMEDIATE", "0, UNKNOWN", "2, UNKNOWN", "-1, UNKNOWN", "200, UNKNOWN" })
    void shouldTakeNoReceiveForASend(int opcode, CompletionOpcode expected) {
        queuePair.post(new ReceiveRequest().receive(1).local(region, 0, 8));
        report(number(0) ^ WrIdTable.SEND, 0, opcode);
        assertEquals(1, queue.poll(completions));
        assertTrue(completions.next());
        assertTrue(completions.isReceive());
        assertEquals(expected, completions.opcode());
    }

    @Test
    void shouldIgnoreReportsOfReceivesThatASharedQueueDoesNotHave() {
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(DEPTH, 1);
        queuePair = connect(domain, QueuePairAttributes.of(queue).withSharedReceiveQueue(shared).withAttachment("taker")).queuePair();
        long tag = ((CoreSharedReceiveQueue) shared).tag();
        for (int i = 0; i < 3; i++) {
            shared.post(new ReceiveRequest().receive(i).local(region, 0, 8));
        }
        for (int status : new int[] { 0, CompletionStatus.FLUSHED.value(), CompletionStatus.GENERAL_ERROR.value() }) {
            for (int slot : new int[] { 3, DEPTH, DEPTH + 1, 1 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE, -1 }) {
                report(tag | Integer.toUnsignedLong(slot), status, Rdma.IBV_WC_RECV());
            }
        }
        assertEquals(List.of(), polled());
        report(tag | 2, 0, Rdma.IBV_WC_RECV());
        report(tag | 2, 0, Rdma.IBV_WC_RECV());
        report(tag, 0, Rdma.IBV_WC_RECV());
        assertEquals(2, queue.poll(completions), "in any order, each once");
        for (long id : new long[] { 2, 0 }) {
            assertTrue(completions.next());
            assertEquals(id, completions.id());
            assertEquals("taker", completions.attachment());
        }
        assertTrue(shared.tryPost(new ReceiveRequest().receive(3).local(region, 0, 8)), "its slots are numbered for good");
        report(tag, 0, Rdma.IBV_WC_RECV());
        assertEquals(List.of(3L), polled());
    }

    /** A device that reports nothing has its queue pair destroyed before the end, and may give the number to another one from then on. */
    @Test
    void shouldNotTakeAReceiveOfASharedQueueForThatOfAQueuePairThatIsDestroyed() {
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(DEPTH, 1);
        connection = connect(domain, QueuePairAttributes.of(queue).withSharedReceiveQueue(shared).withAttachment("gone"));
        queuePair = connection.queuePair();
        shared.post(new ReceiveRequest().receive(1).local(region, 0, 8));
        StubDevice.withhold();
        StubDevice.silence();
        assertTrue(write(2, true));
        connection.disconnect();
        assertTrue(connection.awaitDisconnected(LIMIT));
        assertEquals(List.of(2L), polled());
        report(((CoreSharedReceiveQueue) shared).tag(), 0, Rdma.IBV_WC_RECV());
        assertEquals(1, queue.poll(completions));
        assertTrue(completions.next());
        assertEquals(1, completions.id());
        assertNull(completions.attachment(), "it is that of another queue pair");
        assertEquals(0, queuePair.statistics().receivesCompleted().getAsLong());
    }

    /** Reports of a queue pair that is gone, whose place another one has. */
    @Test
    void shouldIgnoreReportsOfAQueuePairThatIsGone() {
        long gone = number(0);
        connection.close();
        queuePair = connect(domain, QueuePairAttributes.of(queue)).queuePair();
        StubDevice.withhold();
        assertTrue(write(1, true));
        report(gone, 0, Rdma.IBV_WC_RDMA_WRITE());
        assertEquals(List.of(), polled());
        report(0);
        assertEquals(1, queue.poll(completions));
        assertTrue(completions.next());
        assertNull(completions.attachment());
    }

    /** What lies behind the buffer is not the device's. */
    @ParameterizedTest
    @ValueSource(ints = { 9, Integer.MAX_VALUE })
    void shouldRefuseMoreCompletionsThanItAskedFor(int count) {
        StubDevice.fail("ibv_poll_cq", count, 0);
        SystemException failed = assertThrows(SystemException.class, () -> queue.poll(completions));
        assertTrue(failed.getMessage().contains("ibv_poll_cq returned " + count), failed::getMessage);
        assertFalse(connection.isConnected());
    }
}
