package org.panamaverbs.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.Verbs;

/** A tree of files in place of the system's: with a card of RoCE first, from which each test takes something away. */
class CheckupTest {
    private static final String PORT = "sys/class/infiniband/mlx5_0/ports/1/";
    private static final List<Verbs.ProviderStatus> PROVIDERS = List.of(new Verbs.ProviderStatus("rdma-core", true, "mlx5_0"),
            new Verbs.ProviderStatus("soft-iwarp", true, "TCP"));

    @TempDir
    private Path root;
    private Map<String, List<String>> addresses = Map.of("eth1", List.of("10.0.0.1"));

    @BeforeEach
    void makeAWholeMachine() throws IOException {
        file("proc/sys/kernel/osrelease", "6.12.1");
        file("usr/lib64/libibverbs.so.1.14.50.0", "");
        Files.createSymbolicLink(root.resolve("usr/lib64/libibverbs.so.1"), Path.of("libibverbs.so.1.14.50.0"));
        file("usr/lib64/librdmacm.so.1", "");
        file("sys/class/infiniband/mlx5_0/node_type", "1: CA");
        file(PORT + "state", "4: ACTIVE");
        file(PORT + "rate", "100 Gb/sec (4X EDR)");
        file(PORT + "link_layer", "Ethernet");
        file(PORT + "gid_attrs/types/0", "IB/RoCE v1");
        file(PORT + "gid_attrs/types/1", "RoCE v2");
        file(PORT + "gid_attrs/ndevs/0", "eth1");
        file("sys/class/net/eth1/mtu", "9000");
        file("sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0");
        file("dev/infiniband/uverbs0", "");
        file("dev/infiniband/rdma_cm", "");
        file("proc/self/limits", "Max locked memory         unlimited            unlimited            bytes");
        file("proc/self/status", "CapEff:\t0000000000000000");
    }

    private void file(String name, String text) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    private void remove(String name) throws IOException {
        Files.delete(root.resolve(name));
    }

    private List<Finding> found() {
        return new Checkup(root, PROVIDERS, name -> addresses.getOrDefault(name, List.of())).all();
    }

    /** The findings of a verdict, a line each. */
    private String found(Finding.Verdict verdict) {
        return found().stream().filter(finding -> finding.verdict() == verdict)
                .map(finding -> finding.subject() + ": " + finding.text() + (finding.cure().isEmpty() ? "" : " -> " + finding.cure()))
                .collect(Collectors.joining("\n"));
    }

    private void assertMissing(String... parts) {
        String missing = found(Finding.Verdict.MISSING);
        assertEquals(1, missing.lines().count(), missing);
        for (String part : parts) {
            assertTrue(missing.contains(part), missing);
        }
    }

    @Test
    void shouldFindNothingMissing() {
        assertEquals("", found(Finding.Verdict.MISSING));
        assertEquals("""
                kernel: 6.12.1
                library: libibverbs.so.1.14.50.0
                library: librdmacm.so.1
                device mlx5_0: /dev/infiniband/uverbs0
                connections: /dev/infiniband/rdma_cm
                locked memory: unlimited
                mlx5_0 port 1: RoCE, ACTIVE, 100 Gb/sec (4X EDR)
                mlx5_0 port 1: interface eth1, 10.0.0.1
                rdma-core: mlx5_0
                soft-iwarp: TCP""", found(Finding.Verdict.OK));
    }

    @Test
    void shouldNameThePackageOfALibrary() throws IOException {
        remove("usr/lib64/librdmacm.so.1");
        assertMissing("librdmacm.so.1", "apt install librdmacm1");
    }

    @Test
    void shouldTellAContainerHowToGetTheFilesOfADevice() throws IOException {
        remove("dev/infiniband/uverbs0");
        assertMissing("device mlx5_0: there is no /dev/infiniband/uverbs0", "docker run --device /dev/infiniband --ulimit memlock=-1");
    }

    @Test
    void shouldLoadTheModuleOfConnections() throws IOException {
        remove("dev/infiniband/rdma_cm");
        assertMissing("connections: the kernel has no rdma_cm", "modprobe rdma_ucm");
        file("sys/class/misc/rdma_cm/dev", "10:58");
        assertMissing("connections: there is no /dev/infiniband/rdma_cm", "docker run");
    }

    @Test
    void shouldSayThatNoDeviceIsThere() throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve("sys/class/infiniband"))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        assertMissing("devices: the kernel shows none", "modprobe siw");
    }

    @Test
    void shouldJudgeTheLimitOfLockedMemory() throws IOException {
        file("proc/self/limits", "Max locked memory         8388608              8388608              bytes");
        assertMissing("locked memory: at most 8192 KiB of registered memory", "ulimit -l unlimited", "LimitMEMLOCK=infinity");
        file("proc/self/limits", "Max locked memory         1073741824           1073741824           bytes");
        assertEquals("", found(Finding.Verdict.MISSING));
        assertTrue(found(Finding.Verdict.NOTE).contains("at most 1048576 KiB"), found(Finding.Verdict.NOTE));
        file("proc/self/status", "CapEff:\t000001ffffffffff");
        assertTrue(found(Finding.Verdict.OK).contains("CAP_IPC_LOCK"), found(Finding.Verdict.OK));
    }

    @Test
    void shouldSayWhyAPortIsDown() throws IOException {
        file(PORT + "state", "1: DOWN");
        assertMissing("mlx5_0 port 1: RoCE, 1: DOWN", "ip link set eth1 up");
        file(PORT + "link_layer", "InfiniBand");
        assertMissing("mlx5_0 port 1: InfiniBand, 1: DOWN", "opensm");
    }

    @Test
    void shouldAskForAnAddress() {
        addresses = Map.of();
        assertMissing("interface eth1 has no IP address", "ip address add ADDRESS/PREFIX dev eth1");
    }

    @Test
    void shouldNoteWhatSlowsRoce() throws IOException {
        file("sys/class/net/eth1/mtu", "1500");
        remove(PORT + "gid_attrs/types/1");
        String notes = found(Finding.Verdict.NOTE);
        assertTrue(notes.contains("an MTU of 1500, so packets carry 1,024 bytes"), notes);
        assertTrue(notes.contains("IB/RoCE v1 alone, which no router forwards"), notes);
        assertTrue(notes.contains("dcb pfc show dev eth1"), notes);
    }

    @Test
    void shouldNoteAnInterfaceOfAnotherNamespace() throws IOException {
        remove("sys/class/net/eth1/mtu");
        Files.delete(root.resolve("sys/class/net/eth1"));
        file("sys/module/ib_core/parameters/netns_mode", "N");
        String notes = found(Finding.Verdict.NOTE);
        assertTrue(notes.contains("rdma dev set mlx5_0 netns NAME"), notes);
        assertTrue(notes.contains("each device belongs to one network namespace"), notes);
    }

    /** siw names no interface, and has no device behind it. */
    @Test
    void shouldFindTheInterfaceOfSiwByItsHardwareAddress() throws IOException {
        file("sys/class/infiniband/siw0/node_type", "4: RNIC");
        file("sys/class/infiniband/siw0/ports/1/state", "4: ACTIVE");
        file("sys/class/infiniband/siw0/ports/1/gids/0", "0242:ac11:0002:0000:0000:0000:0000:0000");
        file("sys/class/net/lo/address", "00:00:00:00:00:00");
        file("sys/class/net/eth0/address", "02:42:ac:11:00:02");
        addresses = Map.of("eth1", List.of("10.0.0.1"), "eth0", List.of("172.17.0.2"));
        assertEquals("", found(Finding.Verdict.MISSING));
        assertTrue(found(Finding.Verdict.OK).contains("siw0 port 1: interface eth0, 172.17.0.2"), found(Finding.Verdict.OK));
    }

    /** Nothing of a strange system may make it fail. */
    @Test
    void shouldBearStrangeFiles() throws IOException {
        for (String name : List.of(PORT + "state", PORT + "rate", PORT + "link_layer", PORT + "gid_attrs/ndevs/0", "sys/class/net/eth1/mtu",
                "proc/self/limits", "proc/self/status", "sys/class/infiniband/mlx5_0/node_type",
                "sys/class/infiniband_verbs/uverbs0/ibdev")) {
            file(name, "\u0000\u00ff");
        }
        assertTrue(found().size() > 5);
    }
}
