package org.panamaverbs.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.testing.TestClasses;

/** What the server leaves out on purpose, and the answer that docs/reference/nfs.md promises. */
class RefusedOperationsTest {
    @TempDir
    private static Path forServer;
    @TempDir
    private Path folder;
    private NfsServer server;
    private Calls client;

    @BeforeEach
    void start() throws IOException {
        Files.createFile(folder.resolve("file"));
        server = server(folder);
        client = new Calls(server, "client");
    }

    private static NfsServer server(Path served) throws IOException {
        return NfsServer.open(served, ServerOptions.defaults().withWritable(true).withTransfers(1 << 16, 1));
    }

    @AfterEach
    void end() {
        server.close();
    }

    static Stream<Operation> leftOut() throws IOException {
        try (NfsServer server = server(forServer)) {
            return Arrays.stream(Operation.values()).filter(each -> each != Operation.ILLEGAL && !server.handlers().containsKey(each))
                    .toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("leftOut")
    void shouldNotSupportWhatTheDocumentNames(Operation operation) throws IOException {
        String document = Files.readString(TestClasses.project().resolve("docs/reference/nfs.md"));
        int begin = document.indexOf("### Refused operations");
        assertTrue(document.substring(begin, document.indexOf("###", begin + 3)).contains(operation.name()), operation + " is not listed");
        client.call(Status.NOTSUPP, Calls.root(), Calls.op(operation));
    }

    /** RFC 8881, 15.1.4.1: types that do not exist, that CREATE never makes, and that this server does not make. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, -1 })
    void shouldMakeFoldersOnly(int type) throws IOException {
        client.call(Status.BADTYPE, Calls.root(), create(type));
        client.call(Status.OK, Calls.root(), create(2));
    }

    private static Calls.Op create(int type) {
        return Calls.op(Operation.CREATE, xdr -> {
            xdr.xdrEncodeInt(type);
            switch (type) {
                case 3, 4 -> xdr.xdrEncodeLong(0);
                case 5 -> xdr.xdrEncodeString("target");
                default -> {
                }
            }
            xdr.xdrEncodeString("new");
            new Attributes().encode(xdr);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = { 2, 3, 5, 6 })
    void shouldRefuseClaimsOfDelegations(int claim) throws IOException {
        client.call(Status.NOTSUPP, Calls.root(), Calls.op(Operation.OPEN, xdr -> {
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(1);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeLong(0);
            xdr.xdrEncodeString("me");
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(claim);
        }));
    }

    @Test
    void shouldKeepOwners() throws IOException {
        Attributes another = new Attributes().with(Attribute.OWNER, "nobody");
        client.call(Status.PERM, Calls.root(), Calls.name(Operation.LOOKUP, "file"), Calls.op(Operation.SETATTR, xdr -> {
            StateId.ANONYMOUS.encode(xdr);
            another.encode(xdr);
        }));
    }

    @ParameterizedTest
    @CsvSource({ "1, INVAL", "2, INVAL", "0, OK" })
    void shouldProtectNoState(int how, Status expected) throws IOException {
        Calls.expect(Calls.run(server, 1, Calls.op(Operation.EXCHANGE_ID, xdr -> {
            xdr.xdrEncodeLong(1);
            xdr.xdrEncodeString("another");
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(how);
            xdr.xdrEncodeInt(0);
        })), expected, 1);
    }

    /** RFC 8881, 18.36.3: what is not granted is not in the answer. */
    @Test
    void shouldGrantNeitherBackChannelNorPersistence() throws IOException {
        ChannelAttributes channel = new ChannelAttributes(0, 4096, 4096, 4096, 8, 8);
        Xdr reply = Calls.run(server, 1, Calls.op(Operation.CREATE_SESSION, xdr -> {
            xdr.xdrEncodeLong(client.client);
            xdr.xdrEncodeInt(2);
            xdr.xdrEncodeInt(7);
            channel.encode(xdr);
            channel.encode(xdr);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(0);
        }));
        Calls.expect(reply, Status.OK, 1);
        Calls.result(reply, Operation.CREATE_SESSION, Status.OK);
        reply.xdrDecodeOpaque(16 + 4);
        assertEquals(0, reply.xdrDecodeInt());
    }

    /** RFC 8881, 18.34: any connection carries the calls of any session, and none the server's. */
    @ParameterizedTest
    @CsvSource({ "1, OK", "2, INVAL", "3, OK", "7, OK", "4, BADXDR" })
    void shouldBindNoBackChannel(int direction, Status expected) throws IOException {
        Xdr reply = client.bind(direction);
        Calls.expect(reply, expected, 1);
        if (expected == Status.OK) {
            Calls.result(reply, Operation.BIND_CONN_TO_SESSION, Status.OK);
            reply.xdrDecodeOpaque(16);
            assertEquals(1, reply.xdrDecodeInt(), "calls of the client alone");
        }
    }

    @Test
    void shouldGrantNoDelegation() throws IOException {
        Xdr reply = client.call(Status.OK, Calls.root(), Calls.open("me", "file", 0x101, false));
        Calls.result(reply, Operation.PUTROOTFH, Status.OK);
        Calls.result(reply, Operation.OPEN, Status.OK);
        StateId.decode(reply);
        reply.xdrDecodeOpaque(4 + 8 + 8 + 4);
        Bitmap.decode(reply);
        assertEquals(0, reply.xdrDecodeInt());
    }
}
