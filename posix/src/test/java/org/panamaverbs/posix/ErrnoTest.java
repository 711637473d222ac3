package org.panamaverbs.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Field;
import org.junit.jupiter.api.Test;
import org.panamaverbs.bindings.libc.Libc;

class ErrnoTest {
    /** {@link HeadersTest} compares those of the bindings with the header. */
    @Test
    void shouldHaveTheNumbersOfTheBindings() throws ReflectiveOperationException {
        Field[] numbers = Errno.class.getFields();
        assertTrue(numbers.length > 50);
        for (Field number : numbers) {
            assertEquals(Libc.class.getMethod(number.getName()).invoke(null), number.getInt(null), number.getName());
        }
    }

    @Test
    void shouldNameANumberAndSayWhatItMeans() {
        assumeTrue("Linux".equals(System.getProperty("os.name")));
        assertEquals("EPIPE (32)", Errno.name(Errno.EPIPE));
        assertEquals("EPIPE (32), Broken pipe", Errno.describe(Errno.EPIPE));
        assertEquals("errno 4711", Errno.name(4711));
        assertEquals("no reason is given", Errno.describe(0));
    }

    @Test
    void shouldTellLimitsFromFaults() {
        assertTrue(Errno.isLimit(Errno.EMFILE));
        assertFalse(Errno.isLimit(Errno.EBADF));
    }
}
