package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.Described;

final class CompletionsTest {
    private final Arena arena = Arena.ofShared();

    @AfterEach
    void releases() {
        arena.close();
    }

    @Test
    void shouldLayOutACompletionAsLibibverbsDoes() {
        assertEquals(CompletionBuffer.SIZE, CompletionBuffer.LAYOUT.byteSize());
        assertEquals(8, CompletionBuffer.LAYOUT.byteAlignment());
        assertEquals(CompletionBuffer.ID, offset("wr_id"));
        assertEquals(CompletionBuffer.STATUS, offset("status"));
        assertEquals(CompletionBuffer.OPCODE, offset("opcode"));
        assertEquals(CompletionBuffer.VENDOR_ERROR, offset("vendor_err"));
        assertEquals(CompletionBuffer.BYTE_LENGTH, offset("byte_len"));
        assertEquals(CompletionBuffer.IMMEDIATE, offset("imm_data"));
        assertEquals(CompletionBuffer.QUEUE_PAIR, offset("qp_num"));
        assertEquals(CompletionBuffer.FLAGS, offset("wc_flags"));
        assertEquals(32, offset("src_qp"));
        assertEquals(40, offset("pkey_index"));
        assertEquals(42, offset("slid"));
        assertEquals(44, offset("sl"));
        assertEquals(45, offset("dlid_path_bits"));
    }

    private static long offset(String field) {
        return CompletionBuffer.LAYOUT.byteOffset(MemoryLayout.PathElement.groupElement(field));
    }

    @Test
    void shouldBeEmptyBeforeTheFirstPoll() {
        Completions completions = Completions.allocate(4);
        assertEquals(4, completions.capacity());
        assertEquals(0, completions.count());
        assertFalse(completions.next());
        assertEquals(4 * CompletionBuffer.SIZE, Described.of(completions).memory().byteSize());
    }

    @Test
    void shouldRefuseNoCapacity() {
        assertThrows(IllegalArgumentException.class, () -> Completions.allocate(0));
        assertThrows(IllegalArgumentException.class, () -> Completions.allocate(-1));
    }

    @Test
    void shouldShowOneCompletionAfterTheOther() {
        Completions completions = Completions.allocate(2);
        fill(Described.of(completions).memory(), 0, -1L, 0, 128, 0, 0xFFFF_FFFF, 0, 7, 0);
        fill(Described.of(completions).memory(), 1, Long.MIN_VALUE, 10, 2, 0x1201, 0, 0xCAFEBABE, -8, CompletionBuffer.WITH_INVALIDATE);
        Described.of(completions).filled(2);
        assertEquals(2, completions.count());
        assertTrue(completions.next());
        assertEquals(-1L, completions.id());
        assertTrue(completions.isSuccess());
        assertSame(CompletionStatus.SUCCESS, completions.status());
        assertSame(CompletionOpcode.RECEIVE, completions.opcode());
        assertEquals(0xFFFF_FFFFL, completions.byteLength(), "a length is unsigned");
        assertEquals(7, completions.queuePairNumber());
        assertFalse(completions.hasInvalidatedKey());
        assertTrue(completions.next());
        assertEquals(Long.MIN_VALUE, completions.id());
        assertFalse(completions.isSuccess());
        assertSame(CompletionStatus.REMOTE_ACCESS_ERROR, completions.status());
        assertSame(CompletionOpcode.READ, completions.opcode());
        assertEquals(0x1201, completions.vendorError());
        assertTrue(completions.hasInvalidatedKey());
        assertEquals(0xCAFEBABE, completions.invalidatedKey());
        assertEquals(-8, completions.queuePairNumber());
        assertFalse(completions.next());
        assertFalse(completions.next());
    }

    private static void fill(MemorySegment memory, int index, long id, int status, int opcode, int vendorError, int length, int immediate,
            int queuePair, int flags) {
        long base = index * CompletionBuffer.SIZE;
        memory.set(ValueLayout.JAVA_LONG, base + CompletionBuffer.ID, id);
        memory.set(ValueLayout.JAVA_INT, base + CompletionBuffer.STATUS, status);
        memory.set(ValueLayout.JAVA_INT, base + CompletionBuffer.OPCODE, opcode);
        memory.set(ValueLayout.JAVA_INT, base + CompletionBuffer.VENDOR_ERROR, vendorError);
        memory.set(ValueLayout.JAVA_INT, base + CompletionBuffer.BYTE_LENGTH, length);
        memory.set(ValueLayout.JAVA_INT, base + CompletionBuffer.IMMEDIATE, immediate);
        memory.set(ValueLayout.JAVA_INT, base + CompletionBuffer.QUEUE_PAIR, queuePair);
        memory.set(ValueLayout.JAVA_INT, base + CompletionBuffer.FLAGS, flags);
    }

    @Test
    void shouldRefuseToShowWhatIsNotThere() {
        Completions completions = Completions.allocate(2);
        assertThrows(IllegalStateException.class, completions::id);
        Described.of(completions).filled(1);
        assertThrows(IllegalStateException.class, completions::status);
        assertTrue(completions.next());
        assertEquals(0, completions.id());
        assertFalse(completions.next());
        assertThrows(IllegalStateException.class, completions::id);
        Described.of(completions).filled(0);
        assertFalse(completions.next());
        assertThrows(IllegalStateException.class, completions::opcode);
    }

    @Test
    void shouldStartAgainWithEachPoll() {
        Completions completions = Completions.allocate(2);
        Described.of(completions).filled(2);
        assertTrue(completions.next());
        assertTrue(completions.next());
        Described.of(completions).filled(1);
        assertEquals(1, completions.count());
        assertTrue(completions.next());
        assertFalse(completions.next());
    }

    @Test
    void shouldNameEveryStatusByItsValue() {
        for (CompletionStatus status : CompletionStatus.values()) {
            assertSame(status, CompletionStatus.of(status.value()));
            assertFalse(status.text().isBlank());
        }
        for (int unknown : new int[] { -1, 3, 31, 32, 1000, Integer.MIN_VALUE, Integer.MAX_VALUE }) {
            assertSame(CompletionStatus.GENERAL_ERROR, CompletionStatus.of(unknown));
        }
    }

    @Test
    void shouldNameEveryOpcodeByItsValue() {
        for (CompletionOpcode opcode : CompletionOpcode.values()) {
            assertSame(opcode, CompletionOpcode.of(opcode.value()));
        }
        for (int unknown : new int[] { -1, 100, 254, 256, Integer.MIN_VALUE, Integer.MAX_VALUE }) {
            assertSame(CompletionOpcode.UNKNOWN, CompletionOpcode.of(unknown));
        }
    }
}
