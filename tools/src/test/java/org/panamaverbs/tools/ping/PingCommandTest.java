package org.panamaverbs.tools.ping;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.tools.Program;

class PingCommandTest {
    @ParameterizedTest
    @ValueSource(strings = { "epoll", "nio" })
    void shouldVerifyWhatComesBack(String transport) throws Exception {
        String setting = "panamaverbs.softiwarp.transport=" + transport;
        try (Program.Server server = new Program.Server("ping", "--listen", "127.0.0.1:0", "--set", setting)) {
            Program.Outcome outcome = Program.run("ping", server.address(), "--verify", "--count", "3", "--size", "100000", "--set",
                    setting);
            assertAll(() -> assertEquals(0, outcome.status(), outcome.errors()),
                    () -> assertEquals(3, outcome.out().lines().filter(line -> line.endsWith(" verified")).count(), outcome.out()),
                    () -> assertTrue(outcome.out().contains("3 rounds of 100000 bytes, all verified"), outcome.out()));
        }
    }

    @Test
    void shouldSendTheTextOfRping() {
        // What rping sends in its second round (captured: soft-iwarp's vectors, rping.pcap).
        String expected = "rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyzABC";
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(expected.length() + 1);
            buffer.fill((byte) 1);
            Text.fill(buffer, buffer.byteSize(), 1);
            assertEquals(expected + "\0", new String(buffer.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII));
        }
    }

    @Test
    void shouldAdvertiseInTheBytesOfRping() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(Advertisement.LENGTH);
            Advertisement advertisement = new Advertisement(0x0000560011223344L, 0xa1b2c3d4, 100);
            advertisement.encode(buffer);
            assertAll(
                    () -> assertEquals("0000560011223344a1b2c3d400000064", HexFormat.of().formatHex(buffer.toArray(ValueLayout.JAVA_BYTE))),
                    () -> assertEquals(advertisement, Advertisement.decode(buffer)));
        }
    }
}
