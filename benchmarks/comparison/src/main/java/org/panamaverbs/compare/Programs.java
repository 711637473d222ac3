package org.panamaverbs.compare;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Programs of the machine: finding them, and how two of them meet. */
final class Programs {
    /** The words that our own programs say first, followed by the port. */
    static final String LISTENING = "listening on ";

    private static final String REFUSED = "Connection refused";
    private static final int ATTEMPTS = 100;
    private static final Duration BETWEEN = Duration.ofMillis(100);

    private Programs() {
    }

    /** The program's path, or {@code null} if it is not on the PATH. */
    static String find(String program) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            Path path = Path.of(folder, program);
            if (Files.isExecutable(path) && !Files.isDirectory(path)) {
                return path.toString();
            }
        }
        return null;
    }

    /** The output of a program that ends soon. */
    static String output(String name, Duration limit, String... command) throws ProgramException, InterruptedException {
        try (Child child = new Child(name, List.of(command), Map.of(), limit)) {
            return child.awaitOutput();
        }
    }

    /** A port of loopback that nobody listens on now. */
    static int freePort() throws ProgramException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new ProgramException("no port is free: " + e.getMessage(), e);
        }
    }

    /**
     * Runs a server and its client, for servers that do not tell when they listen: the client is started again as long as it is refused.
     *
     * @return the client's output
     */
    static String meet(String name, List<String> server, List<String> client, Map<String, String> environment, Duration limit)
            throws ProgramException, InterruptedException {
        try (Child listening = new Child(name + " (server)", server, environment, limit)) {
            for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
                try (Child active = new Child(name, client, environment, limit)) {
                    String said = outputUnlessRefused(active);
                    if (said != null) {
                        return said;
                    }
                }
                if (!listening.isAlive()) {
                    // The cause of its end is the fault to report.
                    listening.awaitOutput();
                    throw new ProgramException(name + " (server) ended before anybody came");
                }
                Thread.sleep(BETWEEN);
            }
            throw new ProgramException(name + " (server) did not begin to listen");
        }
    }

    /** The output of a client; {@code null} if it was refused, a failure that the exit status of iperf3 does not show. */
    private static String outputUnlessRefused(Child client) throws ProgramException, InterruptedException {
        try {
            String said = client.awaitOutput();
            return client.said(REFUSED) ? null : said;
        } catch (ProgramException e) {
            if (client.said(REFUSED)) {
                return null;
            }
            throw e;
        }
    }
}
