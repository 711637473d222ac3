package org.panamaverbs.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each link of a page to a file of the project, and to a heading, leads there; each guide is linked from another page. */
class LinksTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern BLOCK = Pattern.compile("^```.*?^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

    @Test
    void shouldLeadSomewhere() throws IOException {
        List<String> dead = new ArrayList<>();
        int links = 0;
        for (String page : Pages.all()) {
            for (String link : links(page)) {
                links++;
                if (!leadsSomewhere(page, link)) {
                    dead.add(page + ": " + link);
                }
            }
        }
        assertEquals(List.of(), dead);
        assertTrue(links > 100, links + " links are too few: is the pattern right?");
    }

    @Test
    void shouldLeadToEachPage() throws IOException {
        List<String> linked = new ArrayList<>(List.of("README.md"));
        for (String page : Pages.all()) {
            links(page).forEach(link -> linked.add(target(page, link).toString()));
        }
        assertEquals(List.of(),
                Pages.all().stream().filter(page -> !page.startsWith("docs/conformance/") && !linked.contains(page)).toList());
    }

    @Test
    void shouldKeepTheReadmeToSixKibibytes() throws IOException {
        long size = Files.size(Pages.ROOT.resolve("README.md"));
        assertTrue(size <= 6 * 1024, size + " bytes: move to a page what not every reader needs");
    }

    /** Those to files of the project. */
    private static List<String> links(String page) throws IOException {
        Matcher link = LINK.matcher(BLOCK.matcher(Pages.text(page)).replaceAll(""));
        return link.results().map(each -> each.group(1)).filter(each -> !each.matches("[a-z]+:.*")).toList();
    }

    private static boolean leadsSomewhere(String page, String link) throws IOException {
        Path file = Pages.ROOT.resolve(target(page, link));
        int mark = link.indexOf('#');
        return Files.exists(file) && (mark < 0 || anchors(file).contains(link.substring(mark + 1)));
    }

    private static Path target(String page, String link) {
        String file = link.replaceFirst("#.*", "");
        return file.isEmpty() ? Path.of(page) : Path.of(page).resolveSibling(file).normalize();
    }

    /** As GitHub makes them of headings. */
    private static List<String> anchors(Path file) throws IOException {
        return HEADING.matcher(BLOCK.matcher(Files.readString(file)).replaceAll("")).results()
                .map(each -> each.group(1).strip().toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-')).toList();
    }
}
