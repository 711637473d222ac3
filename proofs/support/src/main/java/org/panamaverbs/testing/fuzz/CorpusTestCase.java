package org.panamaverbs.testing.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Replays the corpus of every target of a module, which has a subclass of this among its tests. */
public abstract class CorpusTestCase {
    @TestFactory
    Stream<DynamicTest> shouldReplayEveryCorpus() {
        return FuzzTarget.all().stream().map(target -> DynamicTest.dynamicTest(target.name(), () -> replay(target)));
    }

    private static void replay(FuzzTarget target) throws Throwable {
        List<Path> inputs = target.inputs();
        assertFalse(inputs.isEmpty(), "no input in " + target.corpus());
        for (Path input : inputs) {
            try {
                target.run(Files.readAllBytes(input));
            } catch (Throwable e) {
                throw new AssertionError(target.name() + " fails on " + input, e);
            }
        }
    }

    @Test
    void shouldHaveATargetForEveryCorpus() throws IOException {
        Set<String> targets = FuzzTarget.all().stream().map(FuzzTarget::name).collect(Collectors.toSet());
        try (Stream<Path> folders = Files.list(FuzzTarget.corpora())) {
            assertEquals(targets, folders.map(folder -> folder.getFileName().toString()).collect(Collectors.toSet()));
        }
    }
}
