package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.nfs.server.state.Caller;
import org.panamaverbs.nfs.xdr.Status;

/** A peer that takes as much as it can, and a bystander. */
class SharesTest {
    private static final int READ = 1;
    private static final int OPENS = 20;
    private static final int CLIENTS = 8;
    private static final Caller GREEDY = Calls.caller("192.0.2.66", 0);

    @TempDir
    private Path folder;
    private NfsServer server;

    @BeforeEach
    void start() throws IOException {
        Files.createFile(folder.resolve("file"));
        server = NfsServer.open(folder, ServerOptions.defaults().withFiles(OPENS, 1000).withClients(CLIENTS, 2, 8).withTransfers(4096, 1));
    }

    @AfterEach
    void end() {
        server.close();
    }

    private static void open(Calls by, String owner, Status expected) throws IOException {
        by.call(expected, Calls.root(), Calls.open(owner, "file", READ, false));
    }

    /** Opens until the server refuses; returns how often that went well. */
    private static int openAll(Calls by) throws IOException {
        for (int made = 0; made < OPENS; made++) {
            try {
                open(by, "owner " + made, Status.OK);
            } catch (AssertionError refused) {
                assertTrue(refused.getMessage().startsWith("NOSPC"), refused::getMessage);
                return made;
            }
        }
        return OPENS;
    }

    /** A client of the greedy peer; the server refuses one too many. */
    private Calls greedy(int number) throws IOException {
        return new Calls(server, "greedy " + number, GREEDY);
    }

    private static String refusal(AssertionError refused) {
        return refused.getMessage().substring(0, refused.getMessage().indexOf(' '));
    }

    @Test
    void shouldLeaveOpensToOtherPeersThanTheGreedyOne() throws IOException {
        assertEquals(OPENS / 2, openAll(greedy(1)));
        assertEquals(0, openAll(greedy(2)), "another client of the same peer gets no further share");
        Calls bystander = new Calls(server, "bystander");
        for (int i = 0; i < OPENS / 2; i++) {
            open(bystander, "owner " + i, Status.OK);
        }
        open(bystander, "one too many", Status.NOSPC);
        assertEquals(OPENS, server.opens());
    }

    @Test
    void shouldLeaveClientsAndSessionsToOtherPeersThanTheGreedyOne() throws IOException {
        for (int i = 0; i < CLIENTS / 2; i++) {
            greedy(i);
        }
        AssertionError refused = assertThrows(AssertionError.class, () -> greedy(CLIENTS));
        assertEquals("NOSPC", refusal(refused));
        for (int i = 0; i < CLIENTS / 2; i++) {
            new Calls(server, "bystander " + i);
        }
        assertEquals(CLIENTS, server.clients());
    }

    /** A client without a session takes a place until its lease ends. */
    @Test
    void shouldCountClientsThatEndedTheirSessions() throws IOException {
        for (int i = 0; i < CLIENTS / 2; i++) {
            greedy(i).destroySession();
        }
        assertEquals("NOSPC", refusal(assertThrows(AssertionError.class, () -> greedy(CLIENTS))));
        new Calls(server, "bystander");
    }
}
