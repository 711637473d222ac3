package org.panamaverbs.nfs.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.grizzly.GrizzlyMemoryManager;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.glassfish.grizzly.memory.ByteBufferWrapper;
import org.panamaverbs.cm.PeerNetwork;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Reply;
import org.panamaverbs.nfs.server.state.Caller;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.SessionId;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** A client without a network: encodes calls, has the server execute them, and hands back replies to decode. */
final class Calls {
    /** Sends calls unless a test wants another. */
    static final Caller USUAL = caller("192.0.2.1", 1000);

    private final NfsServer server;
    private final Caller caller;
    private final ChannelAttributes channel;
    private final SessionId session;
    private int sequence;
    final long client;

    /** Encodes an operation behind its number, or decodes a result. */
    interface Part {
        void encode(XdrEncodingStream xdr) throws IOException;
    }

    /** An operation. */
    record Op(Operation operation, Part arguments) {
    }

    static Caller caller(String address, int user) {
        return new Caller(PeerNetwork.of(new InetSocketAddress(InetAddress.ofLiteral(address), 0)), 1, user);
    }

    Calls(NfsServer server, String owner) throws IOException {
        this(server, owner, USUAL);
    }

    Calls(NfsServer server, String owner, Caller caller) throws IOException {
        this(server, owner, caller, 1);
    }

    /** Another verifier is another incarnation of the client. */
    Calls(NfsServer server, String owner, Caller caller, long verifier) throws IOException {
        this(server, owner, caller, verifier, channel(1 << 20, 1 << 20), false);
    }

    /** Whose calls and replies have limits in bytes. */
    Calls(NfsServer server, String owner, int request, int response) throws IOException {
        this(server, owner, USUAL, 1, channel(request, response), true);
    }

    /** A client that may have been there before the server started, and has not said yet that it reclaims nothing more. */
    static Calls returning(NfsServer server, String owner, Caller caller) throws IOException {
        return new Calls(server, owner, caller, 1, channel(1 << 20, 1 << 20), true);
    }

    private Calls(NfsServer server, String owner, Caller caller, long verifier, ChannelAttributes channel, boolean returns)
            throws IOException {
        this.server = server;
        this.caller = caller;
        this.channel = channel;
        Xdr introduced = run(server, caller, 1, op(Operation.EXCHANGE_ID, xdr -> {
            xdr.xdrEncodeLong(verifier);
            xdr.xdrEncodeString(owner);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(0);
        }));
        expect(introduced, Status.OK, 1);
        result(introduced, Operation.EXCHANGE_ID, Status.OK);
        client = introduced.xdrDecodeLong();
        int first = introduced.xdrDecodeInt();
        Xdr made = run(server, caller, 1, session(first));
        expect(made, Status.OK, 1);
        result(made, Operation.CREATE_SESSION, Status.OK);
        session = SessionId.decode(made);
        if (!returns) {
            call(Status.OK, reclaimComplete());
        }
    }

    private static ChannelAttributes channel(int request, int response) {
        return new ChannelAttributes(0, request, response, Math.min(response, 4096), 32, 8);
    }

    static Op reclaimComplete() {
        return op(Operation.RECLAIM_COMPLETE, xdr -> xdr.xdrEncodeBoolean(false));
    }

    /** OPEN of the current file, which was open before a restart; claims a delegation of a type. */
    static Op reclaim(String owner, int access, int deny, int delegation) {
        return op(Operation.OPEN, xdr -> {
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(access);
            xdr.xdrEncodeInt(deny);
            xdr.xdrEncodeLong(0);
            xdr.xdrEncodeString(owner);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(1);
            xdr.xdrEncodeInt(delegation);
        });
    }

    /** CREATE_SESSION of this client. */
    Op session(int number) {
        return op(Operation.CREATE_SESSION, xdr -> {
            xdr.xdrEncodeLong(client);
            xdr.xdrEncodeInt(number);
            xdr.xdrEncodeInt(0);
            channel.encode(xdr);
            channel.encode(xdr);
            xdr.xdrEncodeInt(0x40000000);
            xdr.xdrEncodeInt(0);
        });
    }

    /** DESTROY_SESSION, alone. */
    void destroySession() throws IOException {
        expect(run(server, caller, 1, op(Operation.DESTROY_SESSION, session::encode)), Status.OK, 1);
    }

    /** BIND_CONN_TO_SESSION, alone. */
    Xdr bind(int direction) throws IOException {
        return run(server, caller, 1, op(Operation.BIND_CONN_TO_SESSION, xdr -> {
            session.encode(xdr);
            xdr.xdrEncodeInt(direction);
            xdr.xdrEncodeBoolean(false);
        }));
    }

    static Op op(Operation operation, Part arguments) {
        return new Op(operation, arguments);
    }

    static Op op(Operation operation) {
        return new Op(operation, xdr -> {
        });
    }

    static Op root() {
        return op(Operation.PUTROOTFH);
    }

    static Op name(Operation operation, String name) {
        return op(operation, xdr -> xdr.xdrEncodeString(name));
    }

    static Op handle(FileHandle handle) {
        return op(Operation.PUTFH, handle::encode);
    }

    static Op open(String owner, String name, int access, boolean create) {
        return open(owner, name, access, 0, create ? new Attributes() : null);
    }

    /** Creates the file, UNCHECKED4, if there are attributes. */
    static Op open(String owner, String name, int access, int deny, Attributes created) {
        return op(Operation.OPEN, xdr -> {
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(access);
            xdr.xdrEncodeInt(deny);
            xdr.xdrEncodeLong(0);
            xdr.xdrEncodeString(owner);
            xdr.xdrEncodeInt(created == null ? 0 : 1);
            if (created != null) {
                xdr.xdrEncodeInt(0);
                created.encode(xdr);
            }
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeString(name);
        });
    }

    static Op write(StateId state, long offset, String text) {
        return op(Operation.WRITE, xdr -> {
            state.encode(xdr);
            xdr.xdrEncodeLong(offset);
            xdr.xdrEncodeInt(2);
            xdr.xdrEncodeString(text);
        });
    }

    static Op read(StateId state, long offset, int count) {
        return op(Operation.READ, xdr -> {
            state.encode(xdr);
            xdr.xdrEncodeLong(offset);
            xdr.xdrEncodeInt(count);
        });
    }

    /** LOCK by an owner that names itself and its open; a length of -1 leads to the end. */
    static Op lock(StateId open, String owner, int type, long offset, long length) {
        return lock(open, owner, type, false, offset, length);
    }

    static Op lock(StateId open, String owner, int type, boolean reclaim, long offset, long length) {
        return lock(type, reclaim, offset, length, xdr -> {
            xdr.xdrEncodeBoolean(true);
            xdr.xdrEncodeInt(0);
            open.encode(xdr);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeLong(0);
            xdr.xdrEncodeString(owner);
        });
    }

    /** LOCK by the state of an owner. */
    static Op lock(StateId locks, int type, long offset, long length) {
        return lock(type, false, offset, length, xdr -> {
            xdr.xdrEncodeBoolean(false);
            locks.encode(xdr);
            xdr.xdrEncodeInt(0);
        });
    }

    private static Op lock(int type, boolean reclaim, long offset, long length, Part locker) {
        return op(Operation.LOCK, xdr -> {
            xdr.xdrEncodeInt(type);
            xdr.xdrEncodeBoolean(reclaim);
            xdr.xdrEncodeLong(offset);
            xdr.xdrEncodeLong(length);
            locker.encode(xdr);
        });
    }

    static Op testLock(String owner, int type, long offset, long length) {
        return op(Operation.LOCKT, xdr -> {
            xdr.xdrEncodeInt(type);
            xdr.xdrEncodeLong(offset);
            xdr.xdrEncodeLong(length);
            xdr.xdrEncodeLong(0);
            xdr.xdrEncodeString(owner);
        });
    }

    static Op unlock(StateId locks, long offset, long length) {
        return op(Operation.LOCKU, xdr -> {
            xdr.xdrEncodeInt(1);
            xdr.xdrEncodeInt(0);
            locks.encode(xdr);
            xdr.xdrEncodeLong(offset);
            xdr.xdrEncodeLong(length);
        });
    }

    static Op close(StateId open) {
        return op(Operation.CLOSE, xdr -> {
            xdr.xdrEncodeInt(0);
            open.encode(xdr);
        });
    }

    /** The next call on slot 0; the reply stands behind the result of SEQUENCE, whose status must be OK. */
    Xdr call(Status expected, Op... operations) throws IOException {
        sequence++;
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            try {
                return again(expected, operations);
            } catch (AssertionError e) {
                // As a client does whom the server asks to come again.
                if (!e.getMessage().startsWith(Status.DELAY + " ") || System.nanoTime() > patience) {
                    throw e;
                }
                sequence++;
            }
        }
    }

    /** The last call once more. */
    Xdr again(Status expected, Op... operations) throws IOException {
        List<Op> all = new ArrayList<>(List.of(sequenceOp()));
        all.addAll(List.of(operations));
        Xdr reply = run(server, caller, 1, all.toArray(Op[]::new));
        int results = expect(reply, expected, -1);
        if (results > 1 || expected == Status.OK) {
            result(reply, Operation.SEQUENCE, Status.OK);
            reply.xdrDecodeOpaque(16 + 5 * 4);
        }
        return reply;
    }

    private Op sequenceOp() {
        return op(Operation.SEQUENCE, xdr -> {
            session.encode(xdr);
            xdr.xdrEncodeInt(sequence);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeBoolean(false);
        });
    }

    /** The bytes of the next call, to be garbled. */
    byte[] bytes(Op... operations) throws IOException {
        sequence++;
        List<Op> all = new ArrayList<>(List.of(sequenceOp()));
        all.addAll(List.of(operations));
        return encoded(1, all.toArray(Op[]::new));
    }

    static byte[] encoded(int minorVersion, Op... operations) throws IOException {
        Xdr xdr = new Xdr(1024);
        xdr.beginEncoding();
        xdr.xdrEncodeString("tag");
        xdr.xdrEncodeInt(minorVersion);
        xdr.xdrEncodeInt(operations.length);
        for (Op op : operations) {
            xdr.xdrEncodeInt(op.operation().number());
            op.arguments().encode(xdr);
        }
        xdr.endEncoding();
        return xdr.getBytes();
    }

    static Xdr run(NfsServer server, int minorVersion, Op... operations) throws IOException {
        return run(server, USUAL, minorVersion, operations);
    }

    static Xdr run(NfsServer server, Caller caller, int minorVersion, Op... operations) throws IOException {
        return decoding(raw(server, caller, encoded(minorVersion, operations)));
    }

    static Xdr run(NfsServer server, byte[] call) throws IOException {
        return run(server, USUAL, call);
    }

    static Xdr run(NfsServer server, Caller caller, byte[] call) throws IOException {
        return decoding(raw(server, caller, call));
    }

    static Xdr decoding(byte[] reply) {
        Xdr copy = new Xdr(reply);
        copy.beginDecoding();
        return copy;
    }

    /** The reply's bytes. */
    static byte[] raw(NfsServer server, byte[] call) throws IOException {
        return raw(server, USUAL, call);
    }

    static byte[] raw(NfsServer server, Caller caller, byte[] call) throws IOException {
        // As over RDMA, where the buffer hands out its own position.
        Xdr in = new Xdr(new ByteBufferWrapper(ByteBuffer.wrap(call)), GrizzlyMemoryManager.getDefaultMemoryManager());
        in.beginDecoding();
        try (Reply reply = Compound.run(server.core(), server.handlers(), caller, in)) {
            Xdr out = new Xdr(1024);
            out.beginEncoding();
            reply.xdrEncode(out);
            out.endEncoding();
            return out.getBytes();
        }
    }

    static int expect(Xdr reply, Status status, int results) throws IOException {
        Status got = Status.decode(reply);
        reply.xdrDecodeDynamicOpaque();
        int count = reply.xdrDecodeInt();
        if (got != status || results >= 0 && count != results) {
            throw new AssertionError(got + " with " + count + " results, not " + status);
        }
        return count;
    }

    static void result(Xdr reply, Operation operation, Status status) throws IOException {
        int number = reply.xdrDecodeInt();
        Status got = Status.decode(reply);
        if (number != operation.number() || got != status) {
            throw new AssertionError("operation " + number + ": " + got + ", not " + operation + ": " + status);
        }
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
