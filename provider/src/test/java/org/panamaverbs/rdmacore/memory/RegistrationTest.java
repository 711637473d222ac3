package org.panamaverbs.rdmacore.memory;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegistrationTest {
    /** As many servers with aarch64 have them. */
    private static final long LARGE_PAGE = 65_536;

    @Test
    void shouldTakeAnAddressAtTheSamePlaceOfALargePage() {
        assertDoesNotThrow(() -> Registration.checkPageOffset(5 * LARGE_PAGE + 100, 100, LARGE_PAGE));
    }

    @Test
    void shouldRefuseAnAddressAtAnotherPlaceOfALargePage() {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                () -> Registration.checkPageOffset(5 * LARGE_PAGE + 4096, 0, LARGE_PAGE));
        assertTrue(refused.getMessage().contains("lower 16 bits") && refused.getMessage().contains("alignment of 65536"),
                refused::getMessage);
    }

    @ParameterizedTest
    @ValueSource(longs = { 4096, LARGE_PAGE })
    void shouldCountWholePages(long page) {
        assertEquals(page, Registration.wholePages(7 * page, 1, page));
        assertEquals(page, Registration.wholePages(7 * page, page, page));
        assertEquals(page, Registration.wholePages(7 * page + 1, page - 1, page));
        assertEquals(2 * page, Registration.wholePages(7 * page - 1, 2, page));
        assertEquals(2 * page, Registration.wholePages(7 * page + 1, page, page));
        assertEquals(3 * page, Registration.wholePages(7 * page - 1, page + 2, page));
    }
}
