package org.panamaverbs.testing.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    private static final String LETTERS = "[a-z](?:\\.\\.[a-z])?";
    private static final Pattern NUMBERS = Pattern.compile("(\\w+-[\\w.]+-)(" + LETTERS + "(?:," + LETTERS + ")*)");

    /** The numbers of all rows that a text of a {@link Requirement} names. */
    static List<String> numbers(String text) {
        Matcher matcher = NUMBERS.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("rows are named as in RFC8166-3.3.2-a,c..e, not: " + text);
        }
        List<String> numbers = new ArrayList<>();
        char last = 0;
        for (String range : matcher.group(2).split(",")) {
            char from = range.charAt(0);
            char to = range.charAt(range.length() - 1);
            if (from <= last || range.length() > 1 && to <= from) {
                throw new IllegalArgumentException("letters of rows ascend, each once, not so: " + text);
            }
            for (char letter = from; letter <= to; letter++) {
                numbers.add(matcher.group(1) + letter);
            }
            last = to;
        }
        return numbers;
    }

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
