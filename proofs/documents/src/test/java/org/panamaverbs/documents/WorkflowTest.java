package org.panamaverbs.documents;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The workflow of GitHub Actions runs the jobs of {@code .ci/run}, and no action that can change behind its name. */
class WorkflowTest {
    private static final Path ROOT = Path.of("..", "..");
    private static final Pattern PINNED = Pattern.compile("\\S+@[0-9a-f]{40} # v\\S+");

    @Test
    void shouldHaveTheJobsOfTheScript() throws IOException {
        List<String> jobs = List.of(first("\\bcase \\$job in (verify[a-z0-9 |]*)\\) ;;", ".ci/run").split(" \\| "));
        List<String> inWorkflow = Arrays.asList(first("job: \\[([^]]*)]", ".github/workflows/ci.yml").split(", "));
        assertEquals(jobs, inWorkflow);
    }

    @Test
    void shouldPinEachActionByItsCommit() throws IOException {
        List<String> actions = Pattern.compile("uses: (.*)").matcher(text(".github/workflows/ci.yml")).results().map(use -> use.group(1))
                .toList();
        assertAll(() -> assertEquals(7, actions.size(), actions::toString),
                () -> assertEquals(List.of(), actions.stream().filter(PINNED.asMatchPredicate().negate()).toList()));
    }

    private static String first(String pattern, String file) throws IOException {
        return Pattern.compile(pattern).matcher(text(file)).results().findFirst().orElseThrow().group(1);
    }

    private static String text(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }
}
