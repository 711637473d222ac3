package org.panamaverbs.nfs.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.BadXdrException;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.ChangeInfo;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.rpcrdma.Placement;

/** Operations with their arguments and results (RFC 8881, 18), which compounds are put together from. */
final class Operations {
    /** Replies of READ without its data, WRITE and others that have numbers alone. */
    static final int SHORT_REPLY = 512;

    /** A box for the value of a result. */
    static final class Box<T> {
        private T value;

        void set(T result) {
            value = result;
        }

        T get() {
            return value;
        }
    }

    private Operations() {
    }

    static CompoundCall at(FileHandle handle) {
        return putHandle(new CompoundCall(), handle);
    }

    static CompoundCall atRoot() {
        return new CompoundCall().add(Operation.PUTROOTFH, xdr -> {
        });
    }

    static CompoundCall putHandle(CompoundCall compound, FileHandle handle) {
        return compound.add(Operation.PUTFH, handle::encode);
    }

    static CompoundCall getHandle(CompoundCall compound, Box<FileHandle> handle) {
        return compound.add(Operation.GETFH, xdr -> {
        }, xdr -> handle.set(FileHandle.decode(xdr)));
    }

    static CompoundCall getAttributes(CompoundCall compound, Bitmap wanted, Box<Attributes> attributes) {
        return compound.add(Operation.GETATTR, wanted::encode, xdr -> attributes.set(Attributes.decode(xdr)));
    }

    static void encodeName(XdrEncodingStream xdr, FileName name) {
        xdr.xdrEncodeDynamicOpaque(name.bytes());
    }

    static CompoundCall rename(CompoundCall compound, FileHandle directory, FileName from, FileName to) {
        compound.add(Operation.SAVEFH, xdr -> {
        });
        return compound.add(Operation.RENAME, xdr -> {
            encodeName(xdr, from);
            encodeName(xdr, to);
        }, xdr -> {
            ChangeInfo.decode(xdr);
            ChangeInfo.decode(xdr);
        });
    }

    static CompoundCall close(CompoundCall compound, OpenFile file) {
        file.delegation().ifPresent(delegation -> compound.add(Operation.DELEGRETURN, delegation::encode));
        return compound.add(Operation.CLOSE, xdr -> {
            xdr.xdrEncodeInt(0); // seqid: version 4.1 does not use it.
            file.state().encode(xdr);
        }, StateId::decode);
    }

    /** An OPEN that wants no delegation and denies other clients nothing. The caller adds how and which file. */
    static void encodeOpen(XdrEncodingStream xdr, int access, long clientId) {
        xdr.xdrEncodeInt(0); // seqid: version 4.1 does not use it.
        xdr.xdrEncodeInt(access | Nfs4.OPEN4_SHARE_ACCESS_WANT_NO_DELEG);
        xdr.xdrEncodeInt(Nfs4.OPEN4_SHARE_DENY_NONE);
        xdr.xdrEncodeLong(clientId);
        xdr.xdrEncodeDynamicOpaque("pverbs".getBytes(StandardCharsets.US_ASCII));
    }

    /** The result of OPEN; a delegation that nobody asked for is kept, so that closing can return it. */
    static void decodeOpen(XdrDecodingStream xdr, Box<StateId> state, Box<StateId> delegation) throws IOException {
        state.set(StateId.decode(xdr));
        ChangeInfo.decode(xdr);
        xdr.xdrDecodeInt(); // rflags
        Bitmap.decode(xdr);
        int type = xdr.xdrDecodeInt();
        switch (type) {
            case Nfs4.OPEN_DELEGATE_NONE -> {
            }
            case Nfs4.OPEN_DELEGATE_READ -> {
                decodeDelegation(xdr, delegation);
                decodeAce(xdr);
            }
            case Nfs4.OPEN_DELEGATE_WRITE -> {
                decodeDelegation(xdr, delegation);
                xdr.xdrDecodeInt(); // nfs_space_limit4: both arms have 8 bytes.
                xdr.xdrDecodeLong();
                decodeAce(xdr);
            }
            case Nfs4.OPEN_DELEGATE_NONE_EXT -> {
                int why = xdr.xdrDecodeInt();
                if (why == Nfs4.WND4_CONTENTION || why == Nfs4.WND4_RESOURCE) {
                    Bounded.bool(xdr, "ond_server_will");
                }
            }
            default -> throw new BadXdrException("a delegation has type " + Integer.toUnsignedString(type));
        }
    }

    private static void decodeDelegation(XdrDecodingStream xdr, Box<StateId> delegation) throws IOException {
        delegation.set(StateId.decode(xdr));
        Bounded.bool(xdr, "a delegation's recall");
    }

    private static void decodeAce(XdrDecodingStream xdr) throws IOException {
        xdr.xdrDecodeInt();
        xdr.xdrDecodeInt();
        xdr.xdrDecodeInt();
        Bounded.opaque(xdr, Nfs4.OWNER_LIMIT, "the subject of an access control entry");
    }

    /** No data beside the reply, and room for {@link #SHORT_REPLY}. */
    static Placement shortReply() {
        return Placement.none().replyAtMost(SHORT_REPLY);
    }
}
