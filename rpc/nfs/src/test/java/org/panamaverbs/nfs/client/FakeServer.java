package org.panamaverbs.nfs.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.OncRpcSvc;
import org.dcache.oncrpc4j.rpc.OncRpcSvcBuilder;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.FileType;
import org.panamaverbs.nfs.xdr.NfsTime;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.SessionId;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** A server over TCP loopback with one file, whose answers to chosen operations a test replaces. Sequence numbers are checked. */
class FakeServer implements AutoCloseable {
    static final SessionId SESSION = new SessionId(1, 2);
    static final int SLOTS = 4;
    private static final OncRpcProgram NFS = new OncRpcProgram(100003, 4);

    final List<Operation> seen = Collections.synchronizedList(new ArrayList<>());
    final byte[] file;
    final byte[] written = new byte[1 << 20];
    volatile long verifier = 5;
    volatile boolean exists;
    private final int[] sequences = new int[SLOTS];
    private final OncRpcSvc service;
    private final OncRpcClient client;
    final RpcTransport transport;

    /** Answers an operation: writes its result and returns a status, whose number is written in front of it. */
    interface Answer {
        Status answer(XdrDecodingStream arguments, XdrEncodingStream result) throws IOException;
    }

    FakeServer(byte[] file) throws IOException {
        this.file = file;
        service = new OncRpcSvcBuilder().withTCP().withPort(0).withoutAutoPublish().withBindAddress("127.0.0.1").withSameThreadIoStrategy()
                .withRpcService(NFS, this::serve).build();
        service.start();
        client = new OncRpcClient(new InetSocketAddress("127.0.0.1", service.getInetSocketAddress(6).getPort()), 6);
        transport = client.connect(60, TimeUnit.SECONDS);
    }

    /** The test's own answer to an operation; {@code null} for the usual one. */
    Answer answerTo(Operation operation) {
        return null;
    }

    /** How many results the reply claims to have, of how many there are. */
    int claimedResults(int results) {
        return results;
    }

    /** Whether a call is answered at all. */
    boolean answers(Operation first) {
        return true;
    }

    private void serve(RpcCall call) throws IOException {
        Reply reply = new Reply();
        call.retrieveCall(reply);
        if (reply.silent) {
            return;
        }
        call.reply(reply);
    }

    /** Decodes the call and keeps the encoded results. */
    private final class Reply implements XdrAble {
        private final org.dcache.oncrpc4j.xdr.Xdr body = new org.dcache.oncrpc4j.xdr.Xdr(1024);
        private Status status = Status.OK;
        private int results;
        private boolean silent;

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws IOException {
            body.beginEncoding();
            xdr.xdrDecodeDynamicOpaque();
            xdr.xdrDecodeInt();
            int count = xdr.xdrDecodeInt();
            for (int i = 0; i < count && status == Status.OK; i++) {
                Operation operation = Operation.of(xdr.xdrDecodeInt()).orElseThrow();
                seen.add(operation);
                silent |= !answers(operation);
                org.dcache.oncrpc4j.xdr.Xdr result = new org.dcache.oncrpc4j.xdr.Xdr(1024);
                result.beginEncoding();
                Answer own = answerTo(operation);
                status = own == null ? usual(operation, xdr, result) : own.answer(xdr, result);
                result.endEncoding();
                body.xdrEncodeInt(operation.number());
                body.xdrEncodeInt(status.code());
                byte[] bytes = result.getBytes();
                body.xdrEncodeOpaque(bytes, bytes.length);
                results++;
            }
            body.endEncoding();
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) throws IOException {
            xdr.xdrEncodeInt(status.code());
            xdr.xdrEncodeInt(0);
            xdr.xdrEncodeInt(claimedResults(results));
            byte[] bytes = body.getBytes();
            xdr.xdrEncodeOpaque(bytes, bytes.length);
        }
    }

    Status usual(Operation operation, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        switch (operation) {
            case EXCHANGE_ID -> exchangeId(in, out);
            case CREATE_SESSION -> createSession(in, out);
            case SEQUENCE -> {
                return sequence(in, out);
            }
            case RECLAIM_COMPLETE -> in.xdrDecodeBoolean();
            case PUTROOTFH, SAVEFH -> {
            }
            case PUTFH -> FileHandle.decode(in);
            case LOOKUP -> {
                if (!in.xdrDecodeString().equals("file")) {
                    return Status.NOENT;
                }
                exists = true;
            }
            case REMOVE, DESTROY_SESSION, DESTROY_CLIENTID -> {
                return consume(operation, in, out);
            }
            case RENAME -> {
                in.xdrDecodeString();
                in.xdrDecodeString();
                changes(out, 2);
            }
            case GETFH -> FileHandle.of((byte) 7).encode(out);
            case GETATTR -> {
                Bitmap.decode(in);
                attributes().encode(out);
                exists = false;
            }
            case OPEN -> open(in, out);
            case READ -> read(in, out, Integer.MAX_VALUE);
            case WRITE -> write(in, out, Integer.MAX_VALUE);
            case COMMIT -> {
                in.xdrDecodeLong();
                in.xdrDecodeInt();
                out.xdrEncodeLong(verifier);
            }
            case CLOSE -> {
                in.xdrDecodeInt();
                StateId.decode(in).encode(out);
            }
            default -> {
                return Status.NOTSUPP;
            }
        }
        return Status.OK;
    }

    private static Status consume(Operation operation, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        switch (operation) {
            case DESTROY_SESSION -> SessionId.decode(in);
            case DESTROY_CLIENTID -> in.xdrDecodeLong();
            default -> {
                in.xdrDecodeString();
                changes(out, 1);
            }
        }
        return Status.OK;
    }

    private static void changes(XdrEncodingStream out, int count) {
        for (int i = 0; i < count; i++) {
            new org.panamaverbs.nfs.xdr.ChangeInfo(true, 1, 2).encode(out);
        }
    }

    /** The root is a directory; the result of LOOKUP is a file. */
    Attributes attributes() {
        return new Attributes().with(Attribute.TYPE, exists ? FileType.REGULAR : FileType.DIRECTORY)
                .with(Attribute.SIZE, (long) file.length).with(Attribute.CHANGE, 1L).with(Attribute.TIME_MODIFY, new NfsTime(1, 0));
    }

    private static void exchangeId(XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        in.xdrDecodeLong();
        in.xdrDecodeDynamicOpaque();
        in.xdrDecodeInt();
        in.xdrDecodeInt();
        in.xdrDecodeInt();
        out.xdrEncodeLong(77);
        out.xdrEncodeInt(1);
        out.xdrEncodeInt(0);
        out.xdrEncodeInt(0);
        out.xdrEncodeLong(0);
        out.xdrEncodeDynamicOpaque(new byte[] { 1 });
        out.xdrEncodeDynamicOpaque(new byte[] { 2 });
        out.xdrEncodeInt(0);
    }

    private static void createSession(XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        in.xdrDecodeLong();
        in.xdrDecodeInt();
        in.xdrDecodeInt();
        ChannelAttributes.decode(in);
        ChannelAttributes.decode(in);
        in.xdrDecodeInt();
        in.xdrDecodeInt();
        in.xdrDecodeInt();
        SESSION.encode(out);
        out.xdrEncodeInt(1);
        out.xdrEncodeInt(0);
        ChannelAttributes limits = new ChannelAttributes(0, 9216, 9216, 0, 16, SLOTS);
        limits.encode(out);
        limits.encode(out);
    }

    Status sequence(XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        SessionId.decode(in);
        int sequence = in.xdrDecodeInt();
        int slot = in.xdrDecodeInt();
        in.xdrDecodeInt();
        in.xdrDecodeBoolean();
        if (slot >= SLOTS) {
            return Status.BADSLOT;
        }
        if (sequence != sequences[slot] + 1) {
            return Status.SEQ_MISORDERED;
        }
        sequences[slot]++;
        SESSION.encode(out);
        out.xdrEncodeInt(sequence);
        out.xdrEncodeInt(slot);
        out.xdrEncodeInt(SLOTS - 1);
        out.xdrEncodeInt(SLOTS - 1);
        out.xdrEncodeInt(0);
        return Status.OK;
    }

    private static void open(XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        in.xdrDecodeInt();
        in.xdrDecodeInt();
        in.xdrDecodeInt();
        in.xdrDecodeLong();
        in.xdrDecodeDynamicOpaque();
        if (in.xdrDecodeInt() == 1) {
            in.xdrDecodeInt();
            Attributes.decode(in);
        }
        if (in.xdrDecodeInt() == 0) {
            in.xdrDecodeString();
        }
        new StateId(1, 9, 9).encode(out);
        changes(out, 1);
        out.xdrEncodeInt(0);
        Bitmap.EMPTY.encode(out);
        out.xdrEncodeInt(0);
    }

    void read(XdrDecodingStream in, XdrEncodingStream out, int most) throws IOException {
        StateId.decode(in);
        long offset = in.xdrDecodeLong();
        int count = Math.min(in.xdrDecodeInt(), most);
        int end = (int) Math.min(file.length, offset + count);
        byte[] part = java.util.Arrays.copyOfRange(file, (int) Math.min(offset, end), end);
        out.xdrEncodeBoolean(end == file.length);
        out.xdrEncodeDynamicOpaque(part);
    }

    void write(XdrDecodingStream in, XdrEncodingStream out, int most) throws IOException {
        StateId.decode(in);
        long offset = in.xdrDecodeLong();
        in.xdrDecodeInt();
        byte[] bytes = in.xdrDecodeDynamicOpaque();
        int count = Math.min(bytes.length, most);
        System.arraycopy(bytes, 0, written, (int) offset, count);
        out.xdrEncodeInt(count);
        out.xdrEncodeInt(0);
        out.xdrEncodeLong(verifier);
    }

    /** Ends the connection, at the server's side. */
    void end() throws IOException {
        service.stop();
    }

    @Override
    public void close() throws IOException {
        client.close();
        service.stop();
    }
}
