package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.testing.Program;
import org.panamaverbs.testing.Transports;

/** The example that talks to rdma-core's programs in the lab talks to itself. */
class GreetingExampleTest {
    private static final Pattern LISTENING = Pattern.compile("listening on .*:(\\d+)");

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldGreetAndBeGreeted(String transport, @TempDir Path folder) throws Exception {
        Program greeting = Program.compile(Path.of("..", "examples", "Greeting.java"), folder);
        Path servers = folder.resolve("server");
        Path clients = folder.resolve("client");
        Process server = greeting.start(transport, servers, "serve", "127.0.0.1", "0");
        try {
            Process client = greeting.start(transport, clients, "greet", "127.0.0.1", port(server, servers));
            for (String said : new String[] { Program.finished(client, clients), Program.finished(server, servers) }) {
                assertTrue(said.contains("said: hello, neighbour"), said);
            }
        } finally {
            server.destroyForcibly();
        }
    }

    private static String port(Process server, Path output) {
        long start = System.nanoTime();
        while (server.isAlive() && System.nanoTime() - start < 180_000_000_000L) {
            Matcher listening = LISTENING.matcher(Program.said(output));
            if (listening.find()) {
                return listening.group(1);
            }
            Thread.onSpinWait();
        }
        return fail("it does not listen: " + Program.said(output));
    }
}
