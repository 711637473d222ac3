package org.panamaverbs.tools.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The usual folder for what outlives {@code nfs serve}. */
class StateFolderTest {
    private static final Path SERVED = Path.of("/served");
    private static final InetSocketAddress ADDRESS = new InetSocketAddress("192.0.2.1", 2049);

    @ParameterizedTest
    @CsvSource(value = { "null, /home/user/.local/state", "/var/state, /var/state", "relative, /home/user/.local/state",
            "'', /home/user/.local/state" }, nullValues = "null")
    void shouldLieInTheUsersFolderForState(String wanted, Path base) {
        Path folder = StateFolder.usual(wanted, "/home/user", SERVED, ADDRESS);
        assertEquals(base.resolve("panama-verbs/nfs"), folder.getParent());
        assertEquals(folder, StateFolder.usual(wanted, "/home/user", SERVED, new InetSocketAddress("192.0.2.1", 2049)));
    }

    @Test
    void shouldBelongToOneFolderAndAddress() {
        Path folder = StateFolder.usual(null, "/home", SERVED, ADDRESS);
        assertNotEquals(folder, StateFolder.usual(null, "/home", Path.of("/other"), ADDRESS));
        assertNotEquals(folder, StateFolder.usual(null, "/home", SERVED, new InetSocketAddress("192.0.2.1", 20049)));
        assertNotEquals(folder, StateFolder.usual(null, "/home", SERVED, new InetSocketAddress("192.0.2.2", 2049)));
    }

    @Test
    void shouldNotBeThereForAPortThatTheSystemChooses() {
        assertNull(StateFolder.usual(null, "/home", SERVED, new InetSocketAddress("192.0.2.1", 0)));
    }
}
