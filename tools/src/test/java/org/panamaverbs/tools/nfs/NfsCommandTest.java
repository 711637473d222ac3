package org.panamaverbs.tools.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.tools.Program;

/** The messages of the commands without a server; the lab tries them with the server in Linux. */
class NfsCommandTest {
    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void shouldSayWhatToDoIfNobodyListensOverTcp() throws IOException {
        Program.Outcome outcome = Program.run("nfs", "ls", "nfs://127.0.0.1:" + closedPort() + "/", "--transport", "tcp", "--timeout", "5");
        assertEquals(1, outcome.status());
        assertTrue(outcome.errors().contains("does its NFS server listen for TCP"), outcome.errors());
    }

    @Test
    void shouldSayWhatToDoIfNobodyListensOverRdma() throws IOException {
        Program.Outcome outcome = Program.run("nfs", "ls", "nfs://127.0.0.1:" + closedPort() + "/", "--provider", "soft-iwarp", "--timeout",
                "5", "--json");
        assertEquals(1, outcome.status());
        assertTrue(outcome.errors().contains("echo rdma 20049 > /proc/fs/nfsd/portlist"), outcome.errors());
        assertTrue(outcome.out().contains("\"kind\":\"peer\""), outcome.out());
    }

    @Test
    void shouldNotWaitForeverForAServerThatIsSilent() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Program.Outcome outcome = Program.run("nfs", "ls", "nfs://127.0.0.1:" + silent.getLocalPort() + "/", "--transport", "tcp",
                    "--timeout", "1");
            assertEquals(1, outcome.status());
            assertTrue(outcome.errors().contains("did not answer within 1 s"), outcome.errors());
        }
    }

    @Test
    void shouldRefuseWrongOptions() {
        assertEquals(2, Program.run("nfs").status());
        assertEquals(2, Program.run("nfs", "ls", "nfs://127.0.0.1/", "--versions", "3").status());
        assertEquals(2, Program.run("nfs", "ls", "nfs://127.0.0.1/", "--parallel", "0").status());
        assertEquals(2, Program.run("nfs", "ls", "nfs://127.0.0.1/", "--inline", "1000").status());
        assertEquals(2, Program.run("nfs", "ls", "nfs://127.0.0.1/", "--timeout", "0").status());
        assertEquals(2, Program.run("nfs", "get", "nfs://127.0.0.1/file", "none", "--versions", "3").status());
        assertEquals(2, Program.run("nfs", "ls", "nfs://127.0.0.1/", "--transport", "udp").status());
    }

    @Test
    void shouldNotTouchAFileThatIsThere(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "mine");
        Program.Outcome outcome = Program.run("nfs", "get", "nfs://127.0.0.1/file", file.toString(), "--transport", "tcp");
        assertTrue(outcome.errors().contains("is there already"), outcome.errors());
        assertEquals("mine", Files.readString(file));
    }
}
