package org.panamaverbs.tools.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({ "64, 64", "64B, 64", "64KiB, 65536", "64k, 65536", "1MiB, 1048576", "3 GiB, 3221225472", "1TiB, 1099511627776",
            "2t, 2199023255552", "1PiB, 1125899906842624", "7EiB, 8070450532247928832" })
    void shouldReadWhatPeopleWrite(String text, long bytes) {
        assertEquals(bytes, Quantity.bytes(text));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "-1", "1.5", "1TB", "KiB", "9999999999GiB", "8EiB", "kb", "99999999999999999999" })
    void shouldRefuseTheRest(String text) {
        assertThrows(IllegalArgumentException.class, () -> Quantity.bytes(text));
    }

    @ParameterizedTest
    @CsvSource({ "0, 0", "1023, 1023", "1024, 1KiB", "1536, 1.5KiB", "1048576, 1MiB", "3221225472, 3GiB", "9223372036854775807, 8.0EiB" })
    void shouldWriteTheShortest(long bytes, String text) {
        assertEquals(text, Quantity.text(bytes));
    }

    @ParameterizedTest
    @CsvSource({ "0, 0, -", "1, 1, 100.0%", "99999, 100000, 99.9%", "1, 3, 33.3%", "1, 100, 1.0%", "0, 5, -", "9, 1000, -" })
    void shouldNeverRoundUpToAllNorSayThatNothingWas(long part, long whole, String text) {
        assertEquals(text, Quantity.directShare(part, whole));
        assertEquals(text.equals("-") ? "" : "; " + text + " placed directly", Quantity.placedDirectly(part, whole));
    }
}
