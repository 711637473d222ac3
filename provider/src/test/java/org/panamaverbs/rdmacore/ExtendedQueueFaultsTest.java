package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_wc;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.queue.ExtendedQueue;
import org.panamaverbs.rdmacore.queue.PlainQueue;
import org.panamaverbs.spi.CompletionBuffer;

/** A completion queue with time stamps reads the same from the device as one without. */
class ExtendedQueueFaultsTest extends OnStubDevice {
    private final CompletionBuffer plain = new CompletionBuffer(4);
    private final CompletionBuffer stamped = new CompletionBuffer(4);

    /** The fields that are valid, by status, opcode and flags: a receive with data, with a header, a Write, a Read, a failure. */
    @ParameterizedTest
    @CsvSource({ "0, 128, 2, 7", "0, 128, 8, 9", "0, 128, 1, 0", "0, 129, 3, 0x01020304", "0, 1, 0, 0", "0, 2, 0, 0", "5, 0, 0, 0",
            "12, 0, 0, 0" })
    void shouldReadWhatAPlainQueueReads(int status, int opcode, int flags, String data) {
        boolean isReceive = opcode >= Rdma.IBV_WC_RECV();
        StubDevice.startClock();
        try (Verbs verbs = open(); Arena arena = Arena.ofConfined()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            PlainQueue reference = new PlainQueue(device.context(), MemorySegment.NULL, device.ops().pollCq(), "stub0", 8, 0);
            ExtendedQueue queue = new ExtendedQueue(device.context(), MemorySegment.NULL, "stub0", 8, 0);
            MemorySegment completion = ibv_wc.allocate(arena);
            ibv_wc.wr_id(completion, 0x1122_3344_5566_7788L);
            ibv_wc.status(completion, status);
            ibv_wc.qp_num(completion, 0x00AB_CDEF);
            if (status == 0) {
                ibv_wc.opcode(completion, opcode);
                ibv_wc.byte_len(completion, 0xFFFF_FFFF);
                ibv_wc.wc_flags(completion, flags);
                completion.set(ValueLayout.JAVA_INT, CompletionBuffer.IMMEDIATE, Integer.decode(data));
            } else {
                ibv_wc.vendor_err(completion, 0x8899_AABB);
            }
            if (isReceive) {
                ibv_wc.src_qp(completion, 0x0076_5432);
                ibv_wc.slid(completion, (short) 0xFEDC);
                ibv_wc.sl(completion, (byte) 0xF3);
                ibv_wc.dlid_path_bits(completion, (byte) 0x81);
            }
            for (int i = 0; i < 2; i++) {
                StubDevice.complete(reference.address(), completion);
                StubDevice.complete(queue.address(), completion);
            }
            plain.makeNative();
            assertEquals(2, reference.poll(plain, 1, 3));
            assertEquals(2, queue.poll(stamped, 1, 3));
            for (int i = 1; i <= 2; i++) {
                MemorySegment expected = plain.memory().asSlice(i * CompletionBuffer.SIZE, CompletionBuffer.SIZE);
                MemorySegment actual = stamped.memory().asSlice(i * CompletionBuffer.SIZE, CompletionBuffer.SIZE);
                assertEquals(-1, expected.mismatch(actual), "byte of completion " + i);
            }
            long first = stamped.timestamps().getAtIndex(ValueLayout.JAVA_LONG, 1);
            assertEquals(first + 1, stamped.timestamps().getAtIndex(ValueLayout.JAVA_LONG, 2));
            assertEquals(0, queue.poll(stamped, 0, 4));
            Calls.DESTROY_CQ.attempt(reference.address());
            Calls.DESTROY_CQ.attempt(queue.address());
        }
    }
}
