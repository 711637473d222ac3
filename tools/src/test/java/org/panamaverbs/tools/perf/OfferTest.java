package org.panamaverbs.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OfferTest {
    private static final Offer OFFER = new Offer(Waiting.CHANNEL, 0x8122334455667788L, 0x99aabbcc);

    @Test
    void shouldComeBackFromItsBytesThoughADeviceAddsZeros() {
        assertEquals(Optional.of(OFFER), Offer.decode(OFFER.encode()));
        assertEquals(Optional.of(OFFER), Offer.decode(Arrays.copyOf(OFFER.encode(), 196)));
    }

    @Test
    void shouldRefuseEveryShorterOneAndNothingButZeros() {
        for (int length = 0; length < OFFER.encode().length; length++) {
            assertEquals(Optional.empty(), Offer.decode(Arrays.copyOf(OFFER.encode(), length)), "of " + length + " bytes");
        }
        assertEquals(Optional.empty(), Offer.decode(new byte[196]));
    }

    @ParameterizedTest
    @CsvSource({ "0, 0", "3, 0", "4, 5", "4, 7", "5, 3", "5, -1" })
    void shouldRefuseWhatItDoesNotKnow(int offset, int value) {
        byte[] bytes = OFFER.encode();
        bytes[offset] = (byte) value;
        assertEquals(Optional.empty(), Offer.decode(bytes));
    }
}
