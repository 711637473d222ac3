package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Verbs;

/** The NUMA node of a device, by a tree that looks like sysfs. */
class NumaNodeFaultsTest extends OnStubDevice {
    @TempDir
    Path tree;

    private OptionalInt node() {
        try (Arena arena = Arena.ofConfined()) {
            StubDevice.call("stub_sysfs", null, arena.allocateFrom(tree.toString()));
        }
        try (Verbs verbs = open()) {
            return verbs.device("stub0").attributes().numaNode();
        }
    }

    private void write(String text) throws IOException {
        Files.writeString(Files.createDirectories(tree.resolve("device")).resolve("numa_node"), text);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 1023 })
    void shouldTellTheNodeThatTheKernelSays(int node) throws IOException {
        write(node + "\n");
        assertEquals(OptionalInt.of(node), node());
    }

    /** A machine with one node says -1. */
    @ParameterizedTest
    @ValueSource(strings = { "-1\n", "1024\n", "", "node", "99999999999" })
    void shouldTellNothingElse(String text) throws IOException {
        write(text);
        assertEquals(OptionalInt.empty(), node());
    }

    /** A device of software has no place in the machine. */
    @Test
    void shouldTellNothingOfADeviceWithoutAPlace() {
        assertEquals(OptionalInt.empty(), node());
        try (Verbs verbs = open()) {
            assertEquals(OptionalInt.empty(), verbs.device("stub0").attributes().numaNode());
        }
    }
}
