package org.panamaverbs.tools.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ResourceException;
import org.panamaverbs.Verbs;

class ResourcesTest {
    private final Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());

    @AfterEach
    void close() {
        verbs.close();
    }

    @Test
    void shouldSayThatThereIsNotSoMuchMemory() {
        try (Resources resources = new Resources(verbs.device(), 1)) {
            ResourceException refused = assertThrows(ResourceException.class, () -> resources.register(1L << 60, 8, Set.of()));
            assertTrue(refused.getMessage().contains("-XX:MaxDirectMemorySize"), refused::getMessage);
            assertEquals(8, resources.register(8, 8, Set.of()).length());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldCloseAllThatItMade(boolean notified) {
        Resources resources = new Resources(verbs.device(), 1, notified);
        MemoryRegion region = resources.register(8, 8, Set.of(Access.LOCAL_WRITE));
        resources.close();
        assertTrue(!region.segment().scope().isAlive(), "memory");
        assertTrue(verbs.device().attributes().active());
        assertThrows(RuntimeException.class, () -> resources.queue().poll(resources.completions()));
    }

    @Test
    void shouldCloseWhatItHasMadeIfTheRestFails() {
        int most = verbs.device().attributes().maximumCompletionQueueEntries();
        assertThrows(RuntimeException.class, () -> new Resources(verbs.device(), most + 1, true));
    }
}
