package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.panamaverbs.nfs.xdr.Operation;

/** COMPOUNDs of one operation, and which of their items may come in a Read chunk. */
class EligibilityTest {
    /** The RPC header without a credential, an empty tag, minor version 1, one operation. */
    private static final int HEAD = 40 + 12;

    /** @param more what follows the operation's number */
    private static MemorySegment compound(Operation operation, int... more) {
        ByteBuffer call = ByteBuffer.allocate(HEAD + 4 + 4 * more.length);
        for (int word : new int[] { 1, 0, 2, 100_003, 4, 1, 0, 0, 0, 0, 0, 1, 1, operation.number() }) {
            call.putInt(word);
        }
        for (int word : more) {
            call.putInt(word);
        }
        return MemorySegment.ofArray(call.array());
    }

    @Test
    void shouldTakeTheDataOfAWrite() {
        MemorySegment call = compound(Operation.WRITE, 1, 2, 3, 4, 0, 0, 2, 8, 0x61616161, 0x61616161);
        assertTrue(Eligibility.isData(call, HEAD + 36));
        assertFalse(Eligibility.isData(call, HEAD + 4), "the stateid");
        assertFalse(Eligibility.isData(call, HEAD + 40), "the middle of the data");
    }

    /** An empty chunk at the end of a call. */
    @Test
    void shouldTakeAWriteOfNothing() {
        MemorySegment call = compound(Operation.WRITE, 1, 2, 3, 4, 0, 0, 2, 0);
        assertTrue(Eligibility.isData(call, call.byteSize()));
    }

    @Test
    void shouldTakeTheTextOfALinkAlone() {
        assertTrue(Eligibility.isData(compound(Operation.CREATE, 5, 4, 0x61616161, 4, 0x62626262), HEAD + 12));
        assertFalse(Eligibility.isData(compound(Operation.CREATE, 2, 4, 0x61616161), HEAD + 12), "the name of a directory");
    }

    @Test
    void shouldNotTakeANameOfLookup() {
        assertFalse(Eligibility.isData(compound(Operation.LOOKUP, 4, 0x61616161), HEAD + 8));
    }

    @Test
    void shouldNotReadBeforeOrBehindACall() {
        MemorySegment call = compound(Operation.LOOKUP, 4, 0x61616161);
        for (long position : new long[] { 4, 12, 32, call.byteSize() + 4, 0xFFFFFFFCL }) {
            assertFalse(Eligibility.isData(call, position), () -> "position " + position);
        }
    }
}
