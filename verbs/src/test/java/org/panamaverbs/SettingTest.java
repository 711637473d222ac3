package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class SettingTest {
    @Test
    void shouldRefuseANameWithoutThePrefix() {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                () -> Setting.text("verbs.name", "", "any", "A name"));
        assertTrue(refused.getMessage().contains("verbs.name") && refused.getMessage().contains("panamaverbs."), refused.getMessage());
    }

    @Test
    void shouldRefuseADefaultThatItDoesNotTake() {
        assertThrows(IllegalArgumentException.class, () -> Setting.choice("panamaverbs.x", "c", "One of two", "a", "b"));
        assertThrows(IllegalArgumentException.class, () -> Setting.integer("panamaverbs.x", 11, 1, 10, "A number"));
    }

    @Test
    void shouldTakeOneOfTheChoices() {
        Setting<String> choice = Setting.choice("panamaverbs.x", "a", "One of two", "a", "b");
        assertEquals("b", choice.parser().apply("b"));
        assertEquals("a | b", choice.values());
        for (String text : new String[] { "", "c", "A", "a " }) {
            IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> choice.parser().apply(text));
            assertTrue(refused.getMessage().contains("a, b"), refused.getMessage());
        }
    }

    @Test
    void shouldTakeOnAndOff() {
        Setting<Boolean> flag = Setting.flag("panamaverbs.x", true, "On or off");
        assertEquals("on", flag.defaultText());
        assertTrue(flag.parser().apply("on"));
        assertTrue(flag.parser().apply("true"));
        assertFalse(flag.parser().apply("off"));
        assertFalse(flag.parser().apply("false"));
        assertEquals("off", Setting.flag("panamaverbs.x", false, "On or off").defaultText());
        for (String text : new String[] { "", "yes", "ON", "1" }) {
            assertThrows(IllegalArgumentException.class, () -> flag.parser().apply(text), text);
        }
    }

    @Test
    void shouldTakeWholeNumbersWithinTheirBounds() {
        Setting<Integer> integer = Setting.integer("panamaverbs.x", 5, -1, 10, "A number");
        assertEquals(-1, integer.parser().apply("-1"));
        assertEquals(10, integer.parser().apply("10"));
        assertEquals("-1 to 10", integer.values());
        for (String text : new String[] { "", "-2", "11", "1.5", "ten", "99999999999", "0x1" }) {
            assertThrows(IllegalArgumentException.class, () -> integer.parser().apply(text), text);
        }
    }

    @Test
    void shouldNameItsEnvironmentVariable() {
        assertEquals("PANAMAVERBS_SOFTIWARP_TRANSPORT",
                Setting.text("panamaverbs.softiwarp.transport", "", "any", "A transport").environmentName());
        assertEquals("PANAMAVERBS_A_B_C", Setting.text("panamaverbs.a-b.c", "", "any", "A text").environmentName());
    }
}
