package org.panamaverbs.testing.conformance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of an RFC or draft, as far as it is needed to find out whether a register has all of its sentences: how often each keyword
 * occurs in each section.
 */
record Specification(Map<String, Map<String, Integer>> keywords) {
    /** Longer keywords come first: "MUST NOT" is no "MUST". A keyword may be broken over two lines. */
    private static final Pattern KEYWORD = Pattern
            .compile("\\b(MUST\\s+NOT|MUST|SHALL\\s+NOT|SHALL|SHOULD\\s+NOT|SHOULD|NOT\\s+RECOMMENDED|RECOMMENDED|REQUIRED)\\b");
    /** The heading of a section begins at the margin; a row of the table of contents ends with dots and a page. */
    private static final Pattern HEADING = Pattern.compile("^(?:Appendix ([A-Z])\\b.*|([A-Z](?:\\.\\d+)+|\\d+(?:\\.\\d+)*)\\.?\\s+\\S.*)");
    private static final Pattern CONTENTS = Pattern.compile("\\.\\s?\\.\\s?\\.");
    /** The foot and the head of a page stand between the lines of a sentence. */
    private static final Pattern FOOT = Pattern.compile("\\[Page \\d+]$");
    private static final Pattern HEAD = Pattern.compile("^(RFC \\d+|Internet-Draft) .*\\d{4}$");

    static Specification read(Path file) throws IOException {
        return of(Files.readString(file, StandardCharsets.UTF_8));
    }

    static Specification of(String text) {
        Map<String, StringBuilder> sections = new TreeMap<>();
        String section = "";
        for (String line : text.replace("\f", "").split("\n")) {
            String stripped = line.stripTrailing();
            if (FOOT.matcher(stripped).find() || HEAD.matcher(stripped).find()) {
                continue;
            }
            Matcher heading = HEADING.matcher(stripped);
            if (heading.matches() && !CONTENTS.matcher(stripped).find()) {
                section = heading.group(1) != null ? heading.group(1) : heading.group(2);
            }
            sections.computeIfAbsent(section, each -> new StringBuilder()).append(stripped).append('\n');
        }
        Map<String, Map<String, Integer>> keywords = new TreeMap<>();
        sections.forEach((name, lines) -> {
            for (Matcher found = KEYWORD.matcher(lines); found.find();) {
                keywords.computeIfAbsent(name, each -> new TreeMap<>()).merge(found.group(1).replaceAll("\\s+", " "), 1, Integer::sum);
            }
        });
        return new Specification(keywords);
    }
}
