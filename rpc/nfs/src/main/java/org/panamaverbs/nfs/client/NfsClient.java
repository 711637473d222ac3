package org.panamaverbs.nfs.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeUnix;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.BadXdrException;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.ChangeInfo;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.FileType;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.rpcrdma.OpaqueSegment;
import org.panamaverbs.rpcrdma.PlacedCall;
import org.panamaverbs.rpcrdma.Placement;

/**
 * A client of NFS version 4.1 (RFC 8881) with one session over one connection. Over RDMA the server writes the data of a READ into the caller's
 * memory, and reads those of a WRITE out of it (RFC 8267). Any thread may use it; each method waits for its answers.
 *
 * <p>Methods fail with {@link NfsException} if the server refuses an operation, with {@link java.net.SocketTimeoutException} if it does not
 * answer in time, and with another {@link IOException} if the connection ended or the server breaks the protocol.
 */
public final class NfsClient implements AutoCloseable {
    /** Attributes that {@link #lookup} asks for. */
    public static final Bitmap USUAL = Bitmap.of(Attribute.TYPE, Attribute.CHANGE, Attribute.SIZE, Attribute.FILEID, Attribute.MAXREAD,
            Attribute.MAXWRITE, Attribute.MODE, Attribute.NUMLINKS, Attribute.OWNER, Attribute.OWNER_GROUP, Attribute.TIME_MODIFY);
    /** Attributes that {@link #list} asks for. */
    public static final Bitmap LISTED = Bitmap.of(Attribute.TYPE, Attribute.SIZE, Attribute.RDATTR_ERROR, Attribute.FILEID, Attribute.MODE,
            Attribute.NUMLINKS, Attribute.OWNER, Attribute.OWNER_GROUP, Attribute.TIME_MODIFY);

    /** Replies with attributes and a file handle: owners have up to 1,024 bytes. */
    private static final int ATTRIBUTES_REPLY = 4096;
    /** The bytes around the data of a READ or WRITE. */
    private static final int AROUND = 1024;
    private static final int COMMITS = 3;

    private final ClientRecord client;
    private final ClientSession session;

    private NfsClient(ClientRecord client, ClientSession session) {
        this.client = client;
        this.session = session;
    }

    /**
     * Makes a session.
     *
     * @param transport a connection to the server, of {@code RdmaRpcClient} or of oncrpc4j's client; closing this does not close it
     * @param options   see there
     * @return the client
     * @throws IOException if the server does not make a session
     */
    public static NfsClient open(RpcTransport transport, NfsOptions options) throws IOException {
        RpcAuthTypeUnix user = new RpcAuthTypeUnix(options.uid(), options.gid(), new int[0], 0, "pverbs");
        PlacedCall rpc = new PlacedCall(Nfs4.PROGRAM, Nfs4.VERSION, user, Objects.requireNonNull(transport));
        ClientRecord client = ClientRecord.make(rpc, options);
        ClientSession session = client.session();
        try {
            session.call(() -> new CompoundCall().add(Operation.RECLAIM_COMPLETE, xdr -> xdr.xdrEncodeBoolean(false)),
                    Operations.shortReply(), "the session");
        } catch (IOException e) {
            client.destroy(session);
            throw e;
        }
        return new NfsClient(client, session);
    }

    /**
     * How many calls can be in flight: the options and the server both limit them.
     *
     * @return 1 or more
     */
    public int slots() {
        return session.slots();
    }

    /**
     * Looks a path up, name by name. Symbolic links of the server are not followed.
     *
     * @param path from the server's root, with or without slashes around it
     * @return the file or directory
     * @throws IllegalArgumentException if a part of the path is no name, such as "..", or cannot be encoded ({@link FileName#of(String)})
     * @throws IOException              if there is no such file, or a part of the path is not a directory
     */
    public NfsFile lookup(String path) throws IOException {
        List<FileName> names = FileName.path(path);
        NfsFile file = step(Operations::atRoot, "/");
        for (FileName name : names) {
            file = lookup(file, name);
        }
        return file;
    }

    /**
     * Looks a name up.
     *
     * @param directory the directory
     * @param name      the name in it
     * @return the file or directory
     * @throws IOException see the class; {@link NfsException} with NOENT if there is no such file
     */
    public NfsFile lookup(NfsFile directory, FileName name) throws IOException {
        requireDirectory(directory);
        return step(() -> Operations.at(directory.handle()).add(Operation.LOOKUP, xdr -> Operations.encodeName(xdr, name)),
                path(directory, name));
    }

    private static String path(NfsFile directory, FileName name) {
        return (directory.path() + "/" + name).replace("//", "/");
    }

    private NfsFile step(java.util.function.Supplier<CompoundCall> to, String path) throws IOException {
        Operations.Box<FileHandle> handle = new Operations.Box<>();
        Operations.Box<Attributes> attributes = new Operations.Box<>();
        session.call(() -> Operations.getAttributes(Operations.getHandle(to.get(), handle), USUAL, attributes),
                Placement.none().replyAtMost(ATTRIBUTES_REPLY), path);
        return new NfsFile(path, handle.get(), attributes.get());
    }

    private static void requireDirectory(NfsFile file) throws IOException {
        FileType type = file.attributes().require(Attribute.TYPE);
        if (type != FileType.DIRECTORY) {
            throw new IOException(file.path() + ": is " + type.text() + ", not a directory"
                    + (type == FileType.SYMBOLIC_LINK ? "; links of the server are not followed" : ""));
        }
    }

    /**
     * Reads attributes.
     *
     * @param file   the file
     * @param wanted which
     * @return those that the server has
     * @throws IOException see the class
     */
    public Attributes attributes(NfsFile file, Bitmap wanted) throws IOException {
        Operations.Box<Attributes> attributes = new Operations.Box<>();
        session.call(() -> Operations.getAttributes(Operations.at(file.handle()), wanted, attributes),
                Placement.none().replyAtMost(ATTRIBUTES_REPLY), file.path());
        return attributes.get();
    }

    /**
     * Lists a directory, with the attributes {@link #LISTED}.
     *
     * @param directory a directory
     * @param entries   gets one after the other
     * @throws IOException if it is no directory, or the server's list is wrong
     */
    public void list(NfsFile directory, Consumer<DirectoryEntry> entries) throws IOException {
        requireDirectory(directory);
        new DirectoryReader(session, directory, LISTED).forEach(entries);
    }

    /**
     * Opens a file to be read.
     *
     * @param file a regular file
     * @return the open file; {@link #close(OpenFile)} closes it
     * @throws IOException see the class
     */
    public OpenFile open(NfsFile file) throws IOException {
        Operations.Box<StateId> state = new Operations.Box<>();
        Operations.Box<StateId> delegation = new Operations.Box<>();
        session.call(() -> Operations.at(file.handle()).add(Operation.OPEN, xdr -> {
            Operations.encodeOpen(xdr, Nfs4.OPEN4_SHARE_ACCESS_READ, client.id());
            xdr.xdrEncodeInt(Nfs4.OPEN4_NOCREATE);
            xdr.xdrEncodeInt(Nfs4.CLAIM_FH);
        }, xdr -> Operations.decodeOpen(xdr, state, delegation)), Placement.none().replyAtMost(ATTRIBUTES_REPLY), file.path());
        return new OpenFile(file.path(), file.handle(), state.get(), Optional.ofNullable(delegation.get()));
    }

    /**
     * Creates a file and opens it to be written. There must be none of that name.
     *
     * @param directory the directory
     * @param name      the name in it
     * @param mode      the permissions, as in chmod(2)
     * @return the open file; {@link #close(OpenFile)} closes it
     * @throws IOException see the class; {@link NfsException} with EXIST if there is one
     */
    public OpenFile create(NfsFile directory, FileName name, int mode) throws IOException {
        requireDirectory(directory);
        String path = path(directory, name);
        Operations.Box<StateId> state = new Operations.Box<>();
        Operations.Box<StateId> delegation = new Operations.Box<>();
        Operations.Box<FileHandle> handle = new Operations.Box<>();
        session.call(() -> Operations.getHandle(Operations.at(directory.handle()).add(Operation.OPEN, xdr -> {
            Operations.encodeOpen(xdr, Nfs4.OPEN4_SHARE_ACCESS_BOTH, client.id());
            xdr.xdrEncodeInt(Nfs4.OPEN4_CREATE);
            // No call is sent twice here, so the exclusive modes, which tell a repetition from another client, are not needed.
            xdr.xdrEncodeInt(Nfs4.GUARDED4);
            new Attributes().with(Attribute.MODE, mode & 07777).encode(xdr);
            xdr.xdrEncodeInt(Nfs4.CLAIM_NULL);
            Operations.encodeName(xdr, name);
        }, xdr -> Operations.decodeOpen(xdr, state, delegation)), handle), Placement.none().replyAtMost(ATTRIBUTES_REPLY), path);
        return new OpenFile(path, handle.get(), state.get(), Optional.ofNullable(delegation.get()));
    }

    /**
     * Reads a part of a file, with several READs in flight.
     *
     * @param file     open to be read
     * @param offset   where the part begins
     * @param into     room for the part; native memory, so that a device can use it
     * @param progress gets the number of bytes that have arrived
     * @return how many bytes were read: fewer than there is room for if the file ends before
     * @throws IOException see the class. No server touches the memory after that
     */
    public long read(OpenFile file, long offset, MemorySegment into, LongConsumer progress) throws IOException {
        Transfer transfer = new Transfer(session, file.path(), pieceSize(session.channel().maxResponse()));
        return transfer.move(offset, into, new Transfer.Kind() {
            @Override
            public CompoundCall compound(long at, MemorySegment piece, Transfer.Answer answer) {
                return Operations.at(file.handle()).add(Operation.READ, xdr -> {
                    file.state().encode(xdr);
                    xdr.xdrEncodeLong(at);
                    xdr.xdrEncodeInt((int) piece.byteSize());
                }, xdr -> {
                    answer.last = Bounded.bool(xdr, "eof");
                    answer.moved = OpaqueSegment.decode(xdr, piece);
                });
            }

            @Override
            public Placement placement(MemorySegment piece) {
                // A Write chunk alone: Linux's server takes no Reply chunk beside it.
                return Placement.none().result(piece).replyAtMost(Operations.SHORT_REPLY);
            }
        }, progress);
    }

    private int pieceSize(int channelLimit) {
        long limit = Math.max(Integer.toUnsignedLong(channelLimit) - AROUND, AROUND);
        // Multiples of 4,096 keep the server's writes within pages.
        long size = Math.min(limit, client.options().ioSize());
        return (int) (size < 4096 ? size : size & -4096);
    }

    /**
     * Writes a part of a file, with several WRITEs in flight, and makes the server keep it (COMMIT).
     *
     * @param file     open to be written
     * @param offset   where the part begins
     * @param from     the part; native memory, so that a device can use it, and as it is until this returns
     * @param progress gets the number of bytes that are written
     * @throws IOException see the class
     */
    public void write(OpenFile file, long offset, MemorySegment from, LongConsumer progress) throws IOException {
        for (int i = 0; i < COMMITS; i++) {
            WriteVerifiers verifiers = new WriteVerifiers();
            Transfer transfer = new Transfer(session, file.path(), pieceSize(session.channel().maxRequest()));
            transfer.move(offset, from, writing(file, verifiers), progress);
            session.call(() -> Operations.at(file.handle()).add(Operation.COMMIT, xdr -> {
                xdr.xdrEncodeLong(0);
                xdr.xdrEncodeInt(0); // All of it.
            }, xdr -> verifiers.add(xdr.xdrDecodeLong())), Operations.shortReply(), file.path());
            if (verifiers.areOne()) {
                return;
            }
        }
        throw new IOException(file.path() + ": the server started again during each of " + COMMITS + " attempts to write the file");
    }

    private static Transfer.Kind writing(OpenFile file, WriteVerifiers verifiers) {
        return new Transfer.Kind() {
            @Override
            public CompoundCall compound(long at, MemorySegment piece, Transfer.Answer answer) {
                return Operations.at(file.handle()).add(Operation.WRITE, xdr -> {
                    file.state().encode(xdr);
                    xdr.xdrEncodeLong(at);
                    xdr.xdrEncodeInt(Nfs4.UNSTABLE4);
                    OpaqueSegment.encode(xdr, piece);
                }, xdr -> {
                    answer.moved = Bounded.count(xdr, (int) piece.byteSize(), "the count of a WRITE");
                    xdr.xdrDecodeInt(); // COMMIT follows in any case.
                    verifiers.add(xdr.xdrDecodeLong());
                });
            }

            @Override
            public Placement placement(MemorySegment piece) {
                return Operations.shortReply();
            }
        };
    }

    /**
     * Closes a file at the server.
     *
     * @param file an open file
     * @throws IOException see the class
     */
    public void close(OpenFile file) throws IOException {
        session.call(() -> Operations.close(Operations.at(file.handle()), file), Operations.shortReply(), file.path());
    }

    /**
     * Renames a file within its directory; a file of the new name gives way.
     *
     * @param directory the directory
     * @param from      the name
     * @param to        the new name
     * @throws IOException see the class
     */
    public void rename(NfsFile directory, FileName from, FileName to) throws IOException {
        session.call(() -> Operations.rename(Operations.at(directory.handle()), directory.handle(), from, to), Operations.shortReply(),
                path(directory, to));
    }

    /**
     * Removes a file.
     *
     * @param directory the directory
     * @param name      the name
     * @throws IOException see the class
     */
    public void remove(NfsFile directory, FileName name) throws IOException {
        session.call(
                () -> Operations.at(directory.handle()).add(Operation.REMOVE, xdr -> Operations.encodeName(xdr, name), ChangeInfo::decode),
                Operations.shortReply(), path(directory, name));
    }

    /** Ends the session, and the server's record of this client. A server that no longer answers is left alone. */
    @Override
    public void close() {
        client.destroy(session);
    }

    /** The verifiers of WRITEs and the COMMIT: they are one, unless the server started again and may have lost data (RFC 8881, 18.32). */
    private static final class WriteVerifiers {
        private Long first;
        private boolean different;

        synchronized void add(long verifier) {
            different |= first != null && first != verifier;
            first = first == null ? Long.valueOf(verifier) : first;
        }

        synchronized boolean areOne() throws BadXdrException {
            if (first == null) {
                throw new BadXdrException("no verifier came");
            }
            return !different;
        }
    }
}
