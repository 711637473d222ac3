package org.panamaverbs.testing.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RowTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "RFC1-1.2-b | RFC1-1.2-b", "RFC1-1-a..d | RFC1-1-a RFC1-1-b RFC1-1-c RFC1-1-d",
            "V2-A.1-a,c | V2-A.1-a V2-A.1-c", "RFC1-1-a,c..d,z | RFC1-1-a RFC1-1-c RFC1-1-d RFC1-1-z" })
    void shouldNameRowsOneByOneAndAsRanges(String text, String rows) {
        assertEquals(List.of(rows.split(" ")), Row.numbers(text));
    }

    @ParameterizedTest
    @ValueSource(strings = { "RFC1-1-c..a", "RFC1-1-a..a", "RFC1-1-b,a", "RFC1-1-a,a", "RFC1-1-a..c,b", "RFC1-1-a..c,c..d" })
    void shouldRefuseLettersThatDoNotAscend(String text) {
        assertEquals("letters of rows ascend, each once, not so: " + text,
                assertThrows(IllegalArgumentException.class, () -> Row.numbers(text)).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "RFC1-1", "RFC1-1-", "RFC1-1-A", "RFC1-1-a..", "RFC1-1-..c", "RFC1-1-a...c", "RFC1-1-a..cd", "RFC1-1-a,",
            "RFC1-1-a, b", "RFC1-1-ab", " RFC1-1-a", "RFC1--a", "RFC1-1-a-c", "RFC1-1-a..b..c" })
    void shouldRefuseATextThatNamesNoRows(String text) {
        assertEquals("rows are named as in RFC8166-3.3.2-a,c..e, not: " + text,
                assertThrows(IllegalArgumentException.class, () -> Row.numbers(text)).getMessage());
    }

    @Test
    void shouldRefuseAnAnswerThatIsNone() {
        assertThrows(IllegalArgumentException.class, () -> Row.Answer.of("perhaps"));
    }
}
