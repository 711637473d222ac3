package org.panamaverbs.testing.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SpecificationTest {
    private static final String TEXT = """
            RFC 1                        Kindness                     January 1970

               1.  Manners ..................2
                   A.1.  They MUST . . . . . 3

            1.  Manners

               A host MUST be kind. It MUST
               NOT shout, and it SHOULD

            Somebody                 Standards Track                     [Page 1]
            \f
            RFC 1                        Kindness                     January 1970

               NOT whisper.  MUSTARD is REQUIRED.

            1.2.  At Table

               Forks are RECOMMENDED, fingers are NOT RECOMMENDED.
            A line at the margin is no section.
               Knives SHALL be clean.

            A.1.  Guests

               Guests SHALL NOT stay.
            """;

    @Test
    void shouldCountTheKeywordsOfEachSection() {
        assertEquals(
                Map.of("", Map.of("MUST", 1), "1", Map.of("MUST", 1, "MUST NOT", 1, "SHOULD NOT", 1, "REQUIRED", 1), "1.2",
                        Map.of("RECOMMENDED", 1, "NOT RECOMMENDED", 1, "SHALL", 1), "A.1", Map.of("SHALL NOT", 1)),
                Specification.of(TEXT).keywords());
    }
}
