package org.panamaverbs.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A measured speed stands on one page, docs/performance.md, or with measurements of other programs in docs/reference/measurements.md. So no
 * two pages can differ. The README repeats some, and each of its lines is compared with the line of docs/performance.md.
 */
class FiguresTest {
    private static final List<String> PLACES = List.of("README.md", "docs/performance.md", "docs/reference/measurements.md");
    private static final Pattern SPEED = Pattern.compile("\\d (?:[GM]B/s|M/s|/s|ns)\\b|\\d\\.\\d+ us\\b");
    private static final Pattern FIGURE = Pattern.compile("\\d+\\.\\d+");

    @Test
    void shouldStandOnOnePage() throws IOException {
        List<String> elsewhere = new ArrayList<>();
        for (String page : Pages.all()) {
            if (!PLACES.contains(page)) {
                Pages.text(page).lines().filter(line -> SPEED.matcher(line).find()).forEach(line -> elsewhere.add(page + ": " + line));
            }
        }
        assertEquals(List.of(), elsewhere, "link to docs/performance.md in place of speeds");
    }

    @Test
    void shouldBeInTheReadmeAsInPerformance() throws IOException {
        String readme = Pages.text("README.md");
        int begin = readme.indexOf("\n## Numbers\n");
        List<String> lines = readme.substring(begin, readme.indexOf("\n## ", begin + 1)).lines().filter(line -> FIGURE.matcher(line).find())
                .toList();
        List<String> measured = Pages.text("docs/performance.md").lines().toList();
        assertTrue(lines.size() > 3, () -> "the README has no figures: " + lines);
        assertEquals(List.of(), lines.stream().filter(line -> measured.stream().noneMatch(each -> hasAll(each, figures(line)))).toList(),
                "no line of docs/performance.md has all figures of these lines");
    }

    private static List<String> figures(String line) {
        return FIGURE.matcher(line).results().map(MatchResult::group).toList();
    }

    private static boolean hasAll(String line, List<String> figures) {
        return figures(line).containsAll(figures);
    }
}
