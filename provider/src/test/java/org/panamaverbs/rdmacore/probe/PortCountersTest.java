package org.panamaverbs.rdmacore.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counters from a tree that looks like sysfs, and from trees that do not. */
class PortCountersTest {
    @TempDir
    private Path devices;
    private Path port;

    @BeforeEach
    void makeTree() throws IOException {
        port = devices.resolve("mlx5_0/ports/1");
        write(port.resolve("counters/port_rcv_data"), "1234567\n");
        write(port.resolve("counters/port_xmit_wait"), "18446744073709551615\n");
        write(port.resolve("hw_counters/rx_write_requests"), "42\n");
        write(port.resolve("hw_counters/lifespan"), "10\n");
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private SortedMap<String, Long> read(String name) {
        return new PortCounters(devices, name, _ -> {
        }).read(1);
    }

    @Test
    void shouldReadBothFolders() {
        assertEquals(Map.of("counters/port_rcv_data", 1234567L, "counters/port_xmit_wait", -1L, "hw_counters/rx_write_requests", 42L),
                read("mlx5_0"));
    }

    @Test
    void shouldReadTheCountersOfTheDeviceIfThePortHasNone() throws IOException {
        write(devices.resolve("siw0/hw_counters/tx_segments"), "7\n");
        assertEquals(Map.of("hw_counters/tx_segments", 7L), read("siw0"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "-1", "N/A (no PMA)", "0x10", "1 2", "18446744073709551616", "999999999999999999999", "\u0661",
            "1111111111111111111111111111111111111111111111111111111111111111111111111111111" })
    void shouldLeaveOutWhatIsNoNumber(String text) throws IOException {
        SortedMap<String, Long> before = read("mlx5_0");
        write(port.resolve("hw_counters/odd"), text);
        assertEquals(before, read("mlx5_0"));
    }

    @Test
    void shouldLeaveOutFoldersLinksAndStrangeNames() throws IOException {
        SortedMap<String, Long> before = read("mlx5_0");
        write(port.resolve("hw_counters/a\u001b[31m"), "1");
        write(port.resolve("hw_counters/folder/file"), "1");
        write(devices.resolve("elsewhere"), "1");
        Files.createSymbolicLink(port.resolve("hw_counters/link"), devices.resolve("elsewhere"));
        assertEquals(before, read("mlx5_0"));
    }

    @Test
    void shouldReadNoMoreCountersThanItsLimit() throws IOException {
        for (int i = 0; i < PortCounters.MOST + 10; i++) {
            write(port.resolve("hw_counters/c" + i), "1");
        }
        assertEquals(PortCounters.MOST, read("mlx5_0").size());
    }

    @ParameterizedTest
    @ValueSource(strings = { "absent", "..", "../mlx5_0", "mlx5_0/../mlx5_0", "", "." })
    void shouldHaveNoneWithoutAFolderOfThatName(String name) throws IOException {
        write(devices.resolve("hw_counters/outside"), "1");
        assertTrue(read(name).isEmpty());
    }

    @Test
    void shouldRefuseAPortThatIsNotThere() {
        PortCounters counters = new PortCounters(devices, "mlx5_0", port -> {
            throw new IllegalArgumentException("no port " + port);
        });
        assertThrows(IllegalArgumentException.class, () -> counters.read(2));
    }
}
