package org.panamaverbs.testing.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.panamaverbs.testing.TestClasses;
import org.panamaverbs.testing.api.Change.Side;

/**
 * Compares the public signatures of a module with the recorded ones, {@code src/test/api/signatures.jar}. With {@code -Dapi.write=true} it
 * records the present ones; with {@code -Dspi.write=true}, too, unless a change breaks programs.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ApiTestCase {
    private final String providerPackage;
    private List<Change> changes;

    /**
     * Names the packages for providers.
     *
     * @param providerPackage with those below it; empty if the module has none
     */
    protected ApiTestCase(String providerPackage) {
        this.providerPackage = providerPackage;
    }

    @BeforeAll
    void compare() throws IOException {
        Path file = TestClasses.module().resolve("src/test/api/signatures.jar");
        byte[] present = Signatures.of(TestClasses.module().resolve("target/classes"));
        if (Boolean.getBoolean("api.write")) {
            Files.createDirectories(file.getParent());
            Files.write(file, present);
        }
        changes = Changes.between(Files.readAllBytes(file), present, providerPackage);
        if (Boolean.getBoolean("spi.write") && changes(Side.PROGRAMS).isEmpty()) {
            Files.write(file, present);
            changes = List.of();
        }
    }

    @Test
    void shouldKeepWhatProgramsUse() {
        assertNone(Side.PROGRAMS, "api.write");
    }

    @Test
    void shouldKeepWhatProvidersImplement() {
        assertNone(Side.PROVIDERS, "spi.write");
    }

    private List<String> changes(Side side) {
        return changes.stream().filter(change -> change.side() == side).map(Change::text).toList();
    }

    private void assertNone(Side side, String property) {
        assertEquals(List.of(), changes(side), () -> "these changes break " + side.name().toLowerCase(Locale.ROOT)
                + "; if docs/api-evolution.md allows them, say so in CHANGELOG.md and run with -D" + property + "=true");
    }
}
