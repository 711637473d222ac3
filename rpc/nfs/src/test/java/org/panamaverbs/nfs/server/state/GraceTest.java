package org.panamaverbs.nfs.server.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.nfs.xdr.Status;

/** The record of clients in the midst of other things. Restarts: RestartTest. */
class GraceTest {
    private static final OwnerName OWNER = new OwnerName(new byte[] { 1 });

    @TempDir
    private Path folder;

    private Grace grace() {
        return new Grace(folder, Duration.ofSeconds(90), () -> 0);
    }

    private static Client client(Grace grace) throws Refused {
        Client client = new Client(1, OWNER, 0, Callers.at("192.0.2.1"), 0);
        grace.complete(client);
        return client;
    }

    private long recorded() throws IOException {
        return Files.readAllLines(folder.resolve("record")).stream().filter(line -> line.startsWith("client ")).count();
    }

    /** The end of a service interrupts its calls, and the end of a server its sweeper: both can be at the record then. */
    @Test
    void shouldWriteTheRecordInAnInterruptedThread() throws IOException {
        try (Grace grace = grace()) {
            Client client = client(grace);
            Thread.currentThread().interrupt();
            grace.checkNew(client);
            assertTrue(Thread.interrupted(), "the caller still learns of it");
            assertEquals(1, recorded());
            Thread.currentThread().interrupt();
            grace.leave(client);
            assertTrue(Thread.interrupted());
            assertEquals(0, recorded());
        }
    }

    /** A call of a client that is gone meanwhile must not put it back. */
    @Test
    void shouldNotRecordAClientThatIsGone() throws IOException {
        try (Grace grace = grace()) {
            Client client = client(grace);
            client.goes();
            grace.leave(client);
            assertEquals(Status.EXPIRED, assertThrows(Refused.class, () -> grace.checkNew(client)).status());
            assertEquals(0, recorded());
        }
    }

    /** The next incarnation of a client may be recorded before the farewell of the one before. */
    @Test
    void shouldKeepTheNextIncarnation() throws IOException {
        try (Grace grace = grace()) {
            Client before = client(grace);
            grace.checkNew(before);
            grace.checkNew(client(grace));
            grace.leave(before);
            assertEquals(1, recorded());
        }
    }
}
