package org.panamaverbs.compare;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The congestion control that programs come to run under. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux lets a program choose the congestion control")
class NetworkTest {
    /** Every Linux has it and allows it to everybody, and no usual one begins with it. */
    private static final String NAME = "reno";
    private static final Path SOURCES = Path.of("").toAbsolutePath().resolve("src/main/c");

    @Test
    void shouldLeaveProgramsAloneUnderTheSystemsOwn() throws Exception {
        List<String> command = List.of("iperf3", "-s");
        try (Network system = Network.open(Network.SYSTEM, true); Network named = Network.open(system.congestionControl(), true)) {
            Peer ucx = Peer.present("UCX", "1");
            assertAll(() -> assertEquals("", system.option()), () -> assertSame(command, system.inside(command)),
                    () -> assertSame(ucx, system.withoutOption(ucx)), () -> assertEquals(system.text(), named.text()),
                    () -> assertEquals("", named.option()));
        }
    }

    @Test
    void shouldPutAllProgramsUnderItInANamespace(@TempDir Path folder) throws Exception {
        Network network = null;
        try {
            network = Network.open(NAME, true);
        } catch (ProgramException e) {
            assumeTrue(false, e.getMessage());
        }
        try (Network ours = network) {
            assumeTrue(ours.option().isEmpty(), ours.text());
            Peer ucx = Peer.present("UCX", "1");
            assertAll(() -> assertSame(ucx, ours.withoutOption(ucx)),
                    () -> assertTrue(ours.text().startsWith(NAME + ", in a network namespace of its own; the system's is "), ours.text()));
            // It tells what its connection really had, and is refused if that is another.
            runInC(ours, folder);
        }
    }

    @Test
    void shouldGiveProgramsAnOptionElse(@TempDir Path folder) throws Exception {
        try (Network network = Network.open(NAME, false)) {
            assertAll(() -> assertEquals(NAME, network.option()),
                    () -> assertTrue(network.text().startsWith(NAME + ", by an option of each program, as only root"), network.text()));
            runInC(network, folder);
        }
    }

    @Test
    void shouldNotCompareAProgramThatHasNoOption() {
        try (Network network = Network.byOption(NAME, "only root can make a namespace")) {
            Peer peer = network.withoutOption(Peer.present("UCX", "1.13"));
            Peer missing = Peer.missing("JUCX", "it does not load");
            assertAll(
                    () -> assertTrue(peer.why()
                            .startsWith("UCX cannot be compared: it has no option for TCP's congestion control, and would" + " run under "),
                            peer.why()),
                    () -> assertTrue(peer.why().endsWith(" beside " + NAME), peer.why()),
                    () -> assertSame(missing, network.withoutOption(missing)));
        }
    }

    @Test
    void shouldSayWhyThereIsNoSuch() {
        String message = assertThrows(ProgramException.class, () -> Network.open("nonsense", false)).getMessage();
        assertTrue(message.startsWith(
                "TCP's congestion control cannot be set to nonsense: only root can make a namespace, and /proc/sys/net/"), message);
    }

    @ParameterizedTest
    @CsvSource({ "iperf3.json, bbr", "pingpong.json, cubic", "frames.json, cubic" })
    void shouldRefuseARunUnderAnother(String file, String name) throws Exception {
        String said = Captured.text(file);
        try (Network same = Network.byOption(name, ""); Network other = Network.byOption(NAME, "")) {
            same.check("it", said);
            assertEquals("it ran under the congestion control " + name + ", not reno",
                    assertThrows(ProgramException.class, () -> other.check("it", said)).getMessage());
        }
    }

    private static void runInC(Network network, Path folder) throws Exception {
        Peer compiled = Peers.compile("ping-pong", SOURCES.resolve("pingpong.c"), folder.resolve("pingpong"));
        assumeTrue(compiled.isPresent(), compiled.missing());
        Reading reading = new PingPong(compiled, network, folder.resolve("pingpong").toString(), false, 64).measure(new Pace(0.05, 0));
        assertTrue(reading.get(Metric.P50_MICROS) > 0);
    }
}
