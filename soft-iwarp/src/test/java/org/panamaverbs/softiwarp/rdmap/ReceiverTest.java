package org.panamaverbs.softiwarp.rdmap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.TerminateCode;

class ReceiverTest {
    private static final int WRITE = Rdmap.control(Rdmap.WRITE);

    private final Receiver receiver = new Receiver(null, true, Arena.ofAuto().allocate(Receiver.CONTROL_SIZE, 8));

    /** A message has 2^32 - 1 bytes at most (RFC 5041, 5.2), and a completion has 32 bits for them. */
    @Test
    void shouldRefuseAWriteOfMoreThan4GiB() {
        for (int i = 0; i < 2; i++) {
            assertEquals(TerminateCode.NONE, receiver.deliverTagged(WRITE, false, Integer.MAX_VALUE));
            assertEquals(TerminateCode.NONE, receiver.deliverTagged(WRITE, false, Integer.MAX_VALUE));
            assertEquals(TerminateCode.NONE, receiver.deliverTagged(WRITE, true, 1), "the longest, " + i);
        }
        assertEquals(TerminateCode.NONE, receiver.deliverTagged(WRITE, false, Integer.MAX_VALUE));
        assertEquals(TerminateCode.NONE, receiver.deliverTagged(WRITE, false, Integer.MAX_VALUE));
        assertEquals(TerminateCode.RDMA_UNSPECIFIED, receiver.deliverTagged(WRITE, true, 2));
    }
}
