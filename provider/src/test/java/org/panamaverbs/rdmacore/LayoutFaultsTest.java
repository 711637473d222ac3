package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_context_ops;
import org.panamaverbs.bindings.rdma.ibv_send_wr;
import org.panamaverbs.bindings.rdma.ibv_sge;
import org.panamaverbs.bindings.rdma.ibv_wc;
import org.panamaverbs.bindings.rdma.verbs_context;
import org.panamaverbs.rdmacore.ffi.Layouts;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.VerbsProvider.Availability;

/** A library whose structs are not those that the bindings were generated from. */
@SuppressWarnings("restricted") // the stub's own context has a size
class LayoutFaultsTest extends OnStubDevice {
    private static Availability availability() {
        return new RdmaCoreProvider().availability(configuration().build());
    }

    private static String refusal() {
        Availability availability = availability();
        assertFalse(availability.available(), availability::detail);
        assertEquals(1, availability.detail().lines().count(), availability::detail);
        return availability.detail();
    }

    @Test
    void shouldHaveTheLayoutsThatThisCodeIsWrittenFor() {
        assertEquals(CompletionBuffer.SIZE, ibv_wc.sizeof());
        assertEquals(CompletionBuffer.ID, ibv_wc.wr_id$offset());
        assertEquals(CompletionBuffer.STATUS, ibv_wc.status$offset());
        assertEquals(CompletionBuffer.BYTE_LENGTH, ibv_wc.byte_len$offset());
        assertEquals(CompletionBuffer.QUEUE_PAIR, ibv_wc.qp_num$offset());
        assertEquals(CompletionBuffer.FLAGS, ibv_wc.wc_flags$offset());
        assertEquals(16, ibv_sge.sizeof());
        assertEquals(128, ibv_send_wr.sizeof());
    }

    private static MemorySegment context() {
        return StubDevice.context().reinterpret(ibv_context.sizeof() + Layouts.LONGER_MUTEX);
    }

    @Test
    void shouldTakeALargerStructOfANewerLibrary() {
        MemorySegment whole = MemorySegment.ofAddress(context().address() - verbs_context.context$offset())
                .reinterpret(verbs_context.sizeof());
        verbs_context.sz(whole, verbs_context.sizeof() + 64);
        assertTrue(availability().available(), availability()::detail);
    }

    @Test
    void shouldRefuseASizeThatNoLibraryHas() {
        MemorySegment whole = MemorySegment.ofAddress(context().address() - verbs_context.context$offset())
                .reinterpret(verbs_context.sizeof());
        for (long size : new long[] { 0, ibv_context.sizeof() - 8, verbs_context.sizeof() + 4, 1L << 40 }) {
            verbs_context.sz(whole, size);
            String refusal = refusal();
            assertTrue(refusal.contains("stub0") && refusal.contains("verbs_context"), refusal);
        }
    }

    @Test
    void shouldRefuseAnotherAbi() {
        context().set(ValueLayout.JAVA_LONG, ibv_context.abi_compat$offset() + Layouts.LONGER_MUTEX, 0x1234);
        String refusal = refusal();
        assertTrue(refusal.contains("stub0") && refusal.contains("abi_compat"), refusal);
    }

    @Test
    void shouldRefuseAMissingCallOfTheHotPath() {
        for (long call : new long[] { ibv_context_ops.poll_cq$offset(), ibv_context_ops.req_notify_cq$offset(),
                ibv_context_ops.post_send$offset(), ibv_context_ops.post_recv$offset() }) {
            StubDevice.reset();
            MemorySegment operations = ibv_context.ops(context());
            operations.set(ValueLayout.ADDRESS, call, MemorySegment.NULL);
            String refusal = refusal();
            assertTrue(refusal.contains("stub0") && refusal.contains("ibv_context_ops"), refusal);
        }
    }
}
