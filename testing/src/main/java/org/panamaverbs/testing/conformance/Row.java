package org.panamaverbs.testing.conformance;

import java.util.Optional;

/**
 * A sentence of a specification.
 *
 * @param number     specification, section and letter
 * @param keywords   MUST and the like, as the sentence has them
 * @param paraphrase the sentence in our words
 * @param answer     the answer for a row beside its tests; none if the tests say all
 * @param text       place, reason or owner
 */
record Row(String number, String keywords, String paraphrase, Optional<Answer> answer, String text) {
    /** Why a requirement needs no test of its own. */
    enum Answer {
        CONSTRUCTION("by construction"), DEPARTS("departs"), NOT_OURS("not ours");

        private final String words;

        Answer(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        static Answer of(String text) {
            for (Answer answer : values()) {
                if (answer.words.equals(text)) {
                    return answer;
                }
            }
            throw new IllegalArgumentException("an answer is 'by construction', 'departs', 'not ours' or nothing, not: " + text);
        }
    }
}
