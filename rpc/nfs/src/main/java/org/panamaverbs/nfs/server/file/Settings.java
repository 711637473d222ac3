package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Instant;
import org.panamaverbs.nfs.server.export.Export;
import org.panamaverbs.nfs.server.export.FileStatus;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.NfsTime;
import org.panamaverbs.nfs.xdr.SetTime;
import org.panamaverbs.nfs.xdr.Status;

/** Attributes that a client sets: size, rights and times. An owner may only be "set" to the one that there is. */
final class Settings {
    /** Attributes that can be set. */
    private static final Bitmap SETTABLE = Bitmap.of(Attribute.SIZE, Attribute.MODE, Attribute.OWNER, Attribute.OWNER_GROUP,
            Attribute.TIME_ACCESS_SET, Attribute.TIME_MODIFY_SET);
    private static final int MODES = 07777;

    private Settings() {
    }

    /** Refuses attributes that cannot be set, before it changes anything. */
    static void check(Attributes attributes) throws Refused {
        if (!attributes.present().without(FileAttributes.SUPPORTED).isEmpty()) {
            throw new Refused(Status.ATTRNOTSUPP);
        }
        if (!attributes.present().without(SETTABLE).isEmpty() || (attributes.get(Attribute.MODE).orElse(0) & ~MODES) != 0) {
            throw new Refused(Status.INVAL);
        }
        if (attributes.get(Attribute.SIZE).orElse(0L) < 0) {
            throw new Refused(Status.FBIG);
        }
    }

    /**
     * Sets all but the size.
     *
     * @param mode {@code null} to leave the rights as they are
     */
    static void apply(Export export, Node node, Attributes attributes, Integer mode) throws IOException {
        if (attributes.get(Attribute.OWNER).isPresent() || attributes.get(Attribute.OWNER_GROUP).isPresent()) {
            FileStatus status = export.status(node);
            requireOwner(attributes.get(Attribute.OWNER).orElse(null), status.user());
            requireOwner(attributes.get(Attribute.OWNER_GROUP).orElse(null), status.group());
        }
        FileStatus.Time accessed = time(attributes.get(Attribute.TIME_ACCESS_SET).orElse(null));
        FileStatus.Time modified = time(attributes.get(Attribute.TIME_MODIFY_SET).orElse(null));
        if (mode != null || accessed != null || modified != null) {
            export.change(node, mode, accessed, modified);
        }
    }

    private static void requireOwner(String wanted, int number) throws Refused {
        if (wanted != null && !wanted.equals(FileAttributes.owner(number))) {
            throw new Refused(Status.PERM);
        }
    }

    private static FileStatus.Time time(SetTime wanted) {
        if (wanted == null) {
            return null;
        }
        NfsTime time = wanted.time().orElseGet(() -> NfsTime.of(Instant.now()));
        return new FileStatus.Time(time.seconds(), time.nanoseconds());
    }

    /** Cuts or lengthens a file, on the disk, too. */
    static void resize(FileChannel channel, long size) throws IOException {
        if (size <= channel.size()) {
            channel.truncate(size);
        } else {
            channel.write(ByteBuffer.allocate(1), size - 1);
        }
        channel.force(true);
    }
}
