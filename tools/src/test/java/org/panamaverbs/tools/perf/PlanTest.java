package org.panamaverbs.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanTest {
    private static final Plan PLAN = new Plan(Operation.SEND, Plan.Mode.LATENCY, Waiting.BLOCK, 4096, 3, 4096, 0x1122334455667788L,
            0x99aabbcc);

    @Test
    void shouldComeBackFromItsBytes() {
        assertEquals(PLAN, Plan.decode(PLAN.encode()));
    }

    @Test
    void shouldRefuseEveryShorterRequest() {
        for (int length = 0; length < PLAN.encode().length; length++) {
            byte[] cut = Arrays.copyOf(PLAN.encode(), length);
            assertThrows(IllegalArgumentException.class, () -> Plan.decode(cut), "of " + length + " bytes");
        }
    }

    @ParameterizedTest
    @CsvSource({ "0, 0", "4, 5", "4, 7", "5, 8", "5, -1", "6, 4", "6, -1", "7, 3", "7, -1" })
    void shouldRefuseWhatItDoesNotKnow(int offset, int value) {
        byte[] bytes = PLAN.encode();
        bytes[offset] = (byte) value;
        assertThrows(IllegalArgumentException.class, () -> Plan.decode(bytes));
    }

    @Test
    void shouldRefuseOrTakeWhateverComes() {
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = PLAN.encode();
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            bytes[8 + random.nextInt(bytes.length - 8)] = (byte) random.nextInt();
            try {
                Plan.decode(bytes);
            } catch (IllegalArgumentException e) {
                // Refused.
            }
        }
    }
}
