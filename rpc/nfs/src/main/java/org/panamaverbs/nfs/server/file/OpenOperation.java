package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.compound.Core;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.server.export.Export;
import org.panamaverbs.nfs.server.export.FileException;
import org.panamaverbs.nfs.server.export.HeldFile;
import org.panamaverbs.nfs.server.export.Name;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.server.state.Opens;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.ChangeInfo;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.posix.Errno;

/** OPEN (RFC 8881, 18.16), without delegations, which need a back channel. */
// Tested by NfsServerTest.
final class OpenOperation implements Handler {
    private static final int USUAL_MODE = 0644;
    /** A name may vanish or appear between two lookups. */
    private static final int ATTEMPTS = 4;

    /** A file that was found or created. */
    private record Opened(HeldFile file, boolean created) {
        Node node() {
            return file.node();
        }
    }

    @Override
    public void run(Compound compound, XdrDecodingStream in, XdrEncodingStream out) throws IOException {
        OpenArguments asked = OpenArguments.decode(compound, in);
        Core core = compound.core();
        Opens.Request request = new Opens.Request(compound.client(), asked.owner(), asked.access(), asked.deny());
        if ((asked.access() & Nfs4.OPEN4_SHARE_ACCESS_WRITE) != 0) {
            compound.checkWritable();
        }
        if (asked.creates()) {
            Settings.check(asked.attributes());
        }
        if (asked.reclaims()) {
            core.grace().checkReclaim(compound.client());
        } else {
            core.grace().checkNew(compound.client());
        }
        // RFC 8881, 8.4.3: an open whose lease is over must not conflict.
        core.clients().expire();
        core.opens().checkRoom(compound.client());
        Node directory = compound.current();
        Export export = core.export();
        long before = export.status(directory).change();
        Opened opened = asked.name() == null ? new Opened(export.hold(directory), false) : find(compound, directory, asked, request);
        StateId state = open(core, asked, request, opened);
        Bitmap set = setOrClose(compound, asked, opened, state);
        long after = export.status(directory).change();
        compound.current(opened.node());
        compound.currentState(state);
        state.encode(out);
        new ChangeInfo(false, before, after).encode(out);
        out.xdrEncodeInt(Nfs4.OPEN4_RESULT_LOCKTYPE_POSIX);
        set.encode(out);
        out.xdrEncodeInt(Nfs4.OPEN_DELEGATE_NONE);
    }

    private static StateId open(Core core, OpenArguments asked, Opens.Request request, Opened opened) throws IOException {
        try {
            return core.opens().open(request, opened.file());
        } catch (Refused e) {
            throw asked.reclaims() && e.status() == Status.SHARE_DENIED ? new Refused(Status.RECLAIM_CONFLICT) : e;
        }
    }

    private static Opened find(Compound compound, Node directory, OpenArguments asked, Opens.Request request) throws IOException {
        Export export = compound.core().export();
        Name name = asked.name();
        for (int attempt = 1;; attempt++) {
            try {
                if (!asked.creates()) {
                    return new Opened(export.hold(export.lookup(directory, name)), false);
                }
                Node found = lookup(export, directory, name);
                if (found != null) {
                    checkExisting(compound, asked, request, found);
                    return new Opened(export.hold(found), false);
                }
                compound.checkWritable();
                int mode = asked.attributes().get(Attribute.MODE).orElse(USUAL_MODE);
                HeldFile created = export.create(directory, name, mode);
                if (asked.isExclusive()) {
                    compound.core().exclusives().put(created.node(), asked.verifier());
                }
                return new Opened(created, true);
            } catch (FileException e) {
                if (!asked.creates() || e.errno() != Errno.EEXIST || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static Node lookup(Export export, Node directory, Name name) throws IOException {
        try {
            return export.lookup(directory, name);
        } catch (FileException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    private static void checkExisting(Compound compound, OpenArguments asked, Opens.Request request, Node found) throws Refused {
        boolean own = asked.isExclusive() && compound.core().exclusives().has(found, asked.verifier());
        if (asked.mode() != Nfs4.UNCHECKED4 && !own) {
            throw new Refused(Status.EXIST);
        }
        if (asked.attributes().get(Attribute.SIZE).isPresent()) {
            compound.checkWritable();
        }
        if (asked.cuts()) {
            compound.core().opens().check(request.writing(), found);
        }
    }

    /** An open that the reply does not name must not stay. */
    private static Bitmap setOrClose(Compound compound, OpenArguments asked, Opened opened, StateId state) throws IOException {
        try {
            return set(compound, asked, opened);
        } catch (IOException e) {
            if (state.sequence() == 1) {
                compound.core().opens().close(state, compound.client(), opened.node());
            }
            throw e;
        }
    }

    /** Sets the attributes of a new file; of one that there was, only the length 0 (RFC 8881, 18.16.3). */
    private static Bitmap set(Compound compound, OpenArguments asked, Opened opened) throws IOException {
        if (!asked.creates()) {
            return Bitmap.EMPTY;
        }
        Core core = compound.core();
        Attributes attributes = asked.attributes();
        if (!opened.created()) {
            if (asked.cuts()) {
                resize(core, opened.node(), 0);
                return Bitmap.of(Attribute.SIZE);
            }
            return Bitmap.EMPTY;
        }
        if (attributes.get(Attribute.SIZE).orElse(0L) > 0) {
            resize(core, opened.node(), attributes.require(Attribute.SIZE));
        }
        Settings.apply(core.export(), opened.node(), attributes, null);
        return attributes.present();
    }

    private static void resize(Core core, Node node, long size) throws IOException {
        FileChannel writer = core.opens().anyWriter(node);
        if (writer != null) {
            Settings.resize(writer, size);
            return;
        }
        try (FileChannel own = core.export().open(node, true)) {
            Settings.resize(own, size);
        }
    }
}
