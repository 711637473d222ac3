package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** Calls that are cut. Other calls: NfsServerTest. */
class CompoundTest {
    /** The tag, the minor version, the count, SEQUENCE's number, and its arguments. */
    private static final int SEQUENCE_END = 8 + 4 + 4 + 4 + 16 + 4 * 4;

    @TempDir
    private Path folder;
    private NfsServer server;
    private Calls client;

    @BeforeEach
    void start() throws IOException {
        server = new NfsServer(folder, ServerOptions.defaults().withWritable(true).withTransfers(1 << 16, 1));
        client = new Calls(server, "client");
    }

    @AfterEach
    void end() {
        server.close();
    }

    @Test
    void shouldAnswerBadXdrToACallThatIsCut() throws IOException {
        byte[] whole = client.bytes(Calls.root(), Calls.open("me", "file", 3, true), Calls.write(StateId.CURRENT, 0, "text"));
        for (int length = SEQUENCE_END; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            Status status = Status.decode(Calls.run(server, cut));
            assertEquals(Status.BADXDR, status, "cut at " + length + " of " + whole.length);
            whole = client.bytes(Calls.root(), Calls.open("me", "file", 3, true), Calls.write(StateId.CURRENT, 0, "text"));
        }
    }
}
