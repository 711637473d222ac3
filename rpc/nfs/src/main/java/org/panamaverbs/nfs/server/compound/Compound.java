package org.panamaverbs.nfs.server.compound;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32C;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.glassfish.grizzly.Buffer;
import org.panamaverbs.nfs.server.export.Name;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.server.state.Caller;
import org.panamaverbs.nfs.server.state.Client;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.server.state.Session;
import org.panamaverbs.nfs.server.state.Slot;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.spi.support.Complaints;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of COMPOUND: its current and saved file handle and state (RFC 8881, 16.2.3.1), its session, and its reply. Whatever the call
 * contains, {@link #run} ends with a reply, unless not even its head can be decoded.
 */
public final class Compound {
    private static final Logger LOG = LoggerFactory.getLogger(Compound.class);
    private static final Complaints COMPLAINTS = new Complaints(Compound.class);
    /** Operations that may stand alone, without SEQUENCE (RFC 8881, 2.10.2.1 and 18.46.3). */
    private static final Set<Operation> ALONE = EnumSet.of(Operation.EXCHANGE_ID, Operation.CREATE_SESSION, Operation.DESTROY_SESSION,
            Operation.BIND_CONN_TO_SESSION, Operation.DESTROY_CLIENTID);
    /** The RPC header of a call, without its credential, and that of a reply (RFC 5531, 9). */
    private static final int CALL_HEADER = 10 * Integer.BYTES;
    private static final int REPLY_HEADER = 6 * Integer.BYTES;
    private static final int RESULT_HEAD = 2 * Integer.BYTES;
    private static final int SEQUENCE_RESULT = Nfs4.SESSION_ID_SIZE + 5 * Integer.BYTES;
    private static final byte[] NOTHING = {};
    /** A retry is known by so many bytes of the call: all but the data of WRITEs, which would take time. */
    private static final int COMPARED = 4096;

    private final Core core;
    private final Map<Operation, Handler> handlers;
    private final Caller caller;
    private final Xdr in;
    private final Reply reply;
    /** The call's length without its RPC header. */
    private final int length;
    private final int operations;
    /** Those behind the current one, as an unsigned number. */
    private int further;
    private Node current;
    private Node saved;
    private StateId currentState;
    private StateId savedState;
    private Session session;
    private Slot slot;
    private boolean keep;
    private MemorySegment item;
    private BufferPool.Buffer buffer;
    private byte[] besidesFailure = NOTHING;

    private Compound(Core core, Map<Operation, Handler> handlers, Caller caller, Xdr in, int length, byte[] tag, int operations) {
        this.core = core;
        this.handlers = handlers;
        this.caller = caller;
        this.in = in;
        this.length = length;
        this.operations = operations;
        reply = new Reply(tag);
    }

    /**
     * Executes a call.
     *
     * @return the reply, which the caller closes when it was sent
     * @throws IOException if the call's head is garbled
     */
    public static Reply run(Core core, Map<Operation, Handler> handlers, Caller caller, Xdr in) throws IOException {
        int length = in.asBuffer().remaining();
        byte[] tag = Bounded.opaque(in, Nfs4.TAG_LIMIT, "the tag of a compound");
        int minorVersion = in.xdrDecodeInt();
        Compound compound = new Compound(core, handlers, caller, in, length, tag, in.xdrDecodeInt());
        if (minorVersion != Nfs4.MINOR_VERSION) {
            compound.reply.fail(Status.MINOR_VERS_MISMATCH);
            return compound.reply;
        }
        compound.runAll();
        return compound.reply;
    }

    private void runAll() {
        try {
            // A count that is negative here is large on the wire: SEQUENCE refuses it, as it does any that is too large.
            for (int i = 0; Integer.compareUnsigned(i, operations) < 0; i++) {
                if (!runNext(i)) {
                    return;
                }
            }
        } finally {
            if (slot != null) {
                slot.end(kept());
            }
        }
    }

    /** The reply to keep in the slot, or {@code null}: then a retry is told that it was not kept. */
    private byte[] kept() {
        try {
            return reply.length() <= session.channel().maxCached() ? reply.kept() : null;
        } catch (RuntimeException | Error e) {
            // For want of memory; the slot must not stay busy.
            COMPLAINTS.error("a reply of {} is not kept", caller, e);
            return null;
        }
    }

    /** Returns whether the next may run. */
    private boolean runNext(int index) {
        Operation operation = Operation.ILLEGAL;
        Status status;
        byte[] body = NOTHING;
        item = null;
        buffer = null;
        besidesFailure = NOTHING;
        further = operations - 1 - index;
        try (Xdr out = new Xdr(Xdr.INITIAL_XDR_SIZE)) {
            out.beginEncoding();
            int number = in.xdrDecodeInt();
            operation = Operation.of(number).orElse(Operation.ILLEGAL);
            checkPlace(operation, index);
            Handler handler = Optional.ofNullable(handlers.get(operation)).orElseThrow(() -> new Refused(Status.NOTSUPP));
            handler.run(this, in, out);
            out.endEncoding();
            if (isReplayed()) {
                return false;
            }
            body = out.getBytes();
            checkLength(body.length + Reply.lengthOf(item));
            status = Status.OK;
        } catch (IOException e) {
            status = Statuses.of(e);
            LOG.debug("{}: {}", operation, e.getMessage());
        } catch (RuntimeException | Error e) {
            COMPLAINTS.error("{} met an error of the server itself", operation, e);
            status = Status.SERVERFAULT;
        }
        if (status != Status.OK) {
            body = besidesFailure;
            giveBack();
        }
        reply.add(status, piece(operation, status, body), item, buffer);
        return status == Status.OK;
    }

    private void giveBack() {
        if (buffer != null) {
            buffer.close();
        }
        buffer = null;
        item = null;
    }

    private static byte[] piece(Operation operation, Status status, byte[] body) {
        return java.nio.ByteBuffer.allocate(RESULT_HEAD + body.length).putInt(operation.number()).putInt(status.code()).put(body).array();
    }

    /** RFC 8881, 2.10.6.1 and 18.46.3. */
    private void checkPlace(Operation operation, int index) throws Refused {
        if (operation == Operation.ILLEGAL) {
            throw new Refused(Status.OP_ILLEGAL);
        }
        if (operation == Operation.SEQUENCE && index > 0) {
            throw new Refused(Status.SEQUENCE_POS);
        }
        if (operation != Operation.SEQUENCE && session == null) {
            if (!ALONE.contains(operation)) {
                throw new Refused(Status.OP_NOT_IN_SESSION);
            }
            if (operations != 1) {
                throw new Refused(Status.NOT_ONLY_OP);
            }
        }
    }

    private void checkLength(int more) throws Refused {
        if (session != null) {
            checkLength(session.channel(), keep, more);
        }
    }

    private void checkLength(ChannelAttributes channel, boolean kept, int more) throws Refused {
        long whole = lengthWith(more);
        if (whole > channel.maxResponse()) {
            throw new Refused(Status.REP_TOO_BIG);
        }
        if (kept && whole > channel.maxCached()) {
            throw new Refused(Status.REP_TOO_BIG_TO_CACHE);
        }
    }

    /** The reply's length with a result of this operation; if another one follows, it can at least fail. */
    private int lengthWith(int more) {
        return REPLY_HEADER + reply.length() + RESULT_HEAD + more + (further == 0 ? 0 : RESULT_HEAD);
    }

    /** How many bytes the result of this operation can have, without its head. */
    public int room() {
        return session.channel().maxResponse() - lengthWith(0);
    }

    /**
     * SEQUENCE has found its session, and is decoded: from now on the call belongs to the session.
     *
     * @param used     the session
     * @param place    its slot
     * @param sequence the call's number
     * @param kept     whether the client wants the reply kept
     */
    public void enter(Session used, Slot place, int sequence, boolean kept) throws Refused {
        if (Integer.compareUnsigned(operations, used.channel().maxOperations()) > 0) {
            throw new Refused(Status.TOO_MANY_OPS);
        }
        // The credential, of which nobody knows the length here, is for free.
        if (CALL_HEADER + length > used.channel().maxRequest()) {
            throw new Refused(Status.REQ_TOO_BIG);
        }
        checkLength(used.channel(), kept, SEQUENCE_RESULT);
        byte[] before = place.begin(sequence, fingerprint());
        session = used;
        if (before != null) {
            reply.replaceBy(before);
            return;
        }
        slot = place;
        keep = kept;
    }

    /** Tells calls apart: by the operations behind SEQUENCE, whose own arguments may differ in a retry, and by the user. */
    private int fingerprint() {
        Buffer rest = in.asBuffer();
        CRC32C checksum = new CRC32C();
        // Some buffers hand out the one that is decoded from, whose position must stay.
        checksum.update(rest.toByteBuffer(rest.position(), rest.position() + Math.min(rest.remaining(), COMPARED)).duplicate());
        return Objects.hash((int) checksum.getValue(), rest.remaining(), caller.flavor(), caller.user());
    }

    private boolean isReplayed() {
        return session != null && slot == null;
    }

    /** The parts that all calls share. */
    public Core core() {
        return core;
    }

    /** The sender of the call. */
    public Caller caller() {
        return caller;
    }

    /** The client of the call. */
    public Client client() {
        return session.client();
    }

    /** The current file. */
    public Node current() throws Refused {
        if (current == null) {
            throw new Refused(Status.NOFILEHANDLE);
        }
        return current;
    }

    /** Makes a file the current one; the current state is none then. */
    public void current(Node node) {
        current = node;
        currentState = null;
    }

    /** Makes a state the current one. */
    public void currentState(StateId state) {
        currentState = state;
    }

    /** The saved file. */
    public Node saved() throws Refused {
        if (saved == null) {
            throw new Refused(Status.NOFILEHANDLE);
        }
        return saved;
    }

    /** SAVEFH. */
    public void save() throws Refused {
        saved = current();
        savedState = currentState;
    }

    /** RESTOREFH. */
    public void restore() throws Refused {
        if (saved == null) {
            throw new Refused(Status.RESTOREFH);
        }
        current = saved;
        currentState = savedState;
    }

    /** A state that the client named: "the current one" is replaced by the newest of it (RFC 8881, 8.2.3). */
    public StateId resolve(StateId named) throws Refused {
        return isCurrent(named) ? currentState.withSequence(0) : named;
    }

    /** The same for CLOSE and OPEN_DOWNGRADE, which must not undo an OPEN that the client does not know of. */
    public StateId resolveExactly(StateId named) throws Refused {
        return isCurrent(named) ? currentState : named;
    }

    private boolean isCurrent(StateId named) throws Refused {
        boolean is = named.equals(StateId.CURRENT);
        if (is && currentState == null) {
            throw new Refused(Status.BAD_STATEID);
        }
        return is;
    }

    /** Decodes a name. */
    public Name name(XdrDecodingStream in) throws IOException {
        byte[] text = Bounded.opaque(in, Nfs4.NAME_LIMIT, "a name");
        Name.Fault fault = Name.faultOf(text);
        if (fault != null) {
            throw new Refused(Statuses.of(fault));
        }
        return Name.of(text);
    }

    /** Refuses an operation that changes anything, if clients only read. */
    public void checkWritable() throws Refused {
        if (!core.limits().writable()) {
            throw new Refused(Status.ROFS);
        }
    }

    /** The data at the end of this operation's result; the buffer goes back when the reply was sent, or if the operation fails. */
    public void data(BufferPool.Buffer used, MemorySegment data) {
        buffer = used;
        item = data;
    }

    /** Encodes the part behind the status of this operation if it fails: nothing for most. */
    public void besidesFailure(byte[] bytes) throws Refused {
        checkLength(bytes.length);
        besidesFailure = bytes;
    }
}
