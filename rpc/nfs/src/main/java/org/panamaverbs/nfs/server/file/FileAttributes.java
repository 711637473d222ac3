package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import org.panamaverbs.nfs.server.compound.Core;
import org.panamaverbs.nfs.server.export.FileStatus;
import org.panamaverbs.nfs.server.export.Handle;
import org.panamaverbs.nfs.server.export.Kind;
import org.panamaverbs.nfs.server.export.Name;
import org.panamaverbs.nfs.server.export.Space;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.Bitmap;
import org.panamaverbs.nfs.xdr.DeviceNumber;
import org.panamaverbs.nfs.xdr.FileHandle;
import org.panamaverbs.nfs.xdr.FileSystemId;
import org.panamaverbs.nfs.xdr.FileType;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.NfsTime;
import org.panamaverbs.nfs.xdr.Status;

/** The attributes of a file that a client asks for (RFC 8881, 5). */
final class FileAttributes {
    /** Attributes that can be asked for or set. */
    static final Bitmap SUPPORTED = Bitmap.of(Attribute.SUPPORTED_ATTRS, Attribute.TYPE, Attribute.FH_EXPIRE_TYPE, Attribute.CHANGE,
            Attribute.SIZE, Attribute.LINK_SUPPORT, Attribute.SYMLINK_SUPPORT, Attribute.NAMED_ATTR, Attribute.FSID,
            Attribute.UNIQUE_HANDLES, Attribute.LEASE_TIME, Attribute.RDATTR_ERROR, Attribute.CANSETTIME, Attribute.CASE_INSENSITIVE,
            Attribute.CASE_PRESERVING, Attribute.CHOWN_RESTRICTED, Attribute.FILEHANDLE, Attribute.FILEID, Attribute.FILES_AVAIL,
            Attribute.FILES_FREE, Attribute.FILES_TOTAL, Attribute.HOMOGENEOUS, Attribute.MAXFILESIZE, Attribute.MAXNAME, Attribute.MAXREAD,
            Attribute.MAXWRITE, Attribute.MODE, Attribute.NO_TRUNC, Attribute.NUMLINKS, Attribute.OWNER, Attribute.OWNER_GROUP,
            Attribute.RAWDEV, Attribute.SPACE_AVAIL, Attribute.SPACE_FREE, Attribute.SPACE_TOTAL, Attribute.SPACE_USED,
            Attribute.TIME_ACCESS, Attribute.TIME_ACCESS_SET, Attribute.TIME_DELTA, Attribute.TIME_METADATA, Attribute.TIME_MODIFY,
            Attribute.TIME_MODIFY_SET, Attribute.MOUNTED_ON_FILEID, Attribute.SUPPATTR_EXCLCREAT);
    /** Attributes that an exclusive creation can set (RFC 8881, 5.8.1.14). */
    private static final Bitmap EXCLUSIVE = Bitmap.of(Attribute.SIZE, Attribute.MODE, Attribute.OWNER, Attribute.OWNER_GROUP,
            Attribute.TIME_ACCESS_SET, Attribute.TIME_MODIFY_SET);
    private static final Bitmap SPACE = Bitmap.of(Attribute.FILES_AVAIL, Attribute.FILES_FREE, Attribute.FILES_TOTAL, Attribute.SPACE_AVAIL,
            Attribute.SPACE_FREE, Attribute.SPACE_TOTAL);
    private static final FileSystemId FILE_SYSTEM = new FileSystemId(0x7076_6572_6273L, 1);
    private static final NfsTime RESOLUTION = new NfsTime(0, 1);

    private FileAttributes() {
    }

    /**
     * The attributes of a bitmap that are supported.
     *
     * @param wanted the attributes that the client asks for
     * @param handle the file's name towards clients; used only if asked for
     */
    static Attributes of(Core core, Bitmap wanted, Handle handle, FileStatus status) throws IOException {
        Attributes values = new Attributes();
        Bitmap asked = wanted.and(SUPPORTED);
        if (!asked.and(SPACE).isEmpty()) {
            addSpace(values, asked, core.export().space());
        }
        for (int number : asked.without(SPACE).numbers().toArray()) {
            add(values, number, core, handle, status);
        }
        return values;
    }

    private static void addSpace(Attributes values, Bitmap asked, Space space) {
        add(values, asked, Attribute.FILES_AVAIL, space.filesAvailable());
        add(values, asked, Attribute.FILES_FREE, space.filesFree());
        add(values, asked, Attribute.FILES_TOTAL, space.files());
        add(values, asked, Attribute.SPACE_AVAIL, space.available());
        add(values, asked, Attribute.SPACE_FREE, space.free());
        add(values, asked, Attribute.SPACE_TOTAL, space.total());
    }

    private static void add(Attributes values, Bitmap asked, Attribute<Long> attribute, long value) {
        if (asked.contains(attribute)) {
            values.with(attribute, value);
        }
    }

    /** By the numbers of RFC 8881, 5.6 to 5.8. */
    private static void add(Attributes values, int number, Core core, Handle handle, FileStatus status) {
        switch (number) {
            case 0 -> values.with(Attribute.SUPPORTED_ATTRS, SUPPORTED);
            case 1 -> values.with(Attribute.TYPE, type(status.kind()));
            case 2 -> values.with(Attribute.FH_EXPIRE_TYPE, core.export().keepsHandles() ? Nfs4.FH4_PERSISTENT : Nfs4.FH4_VOLATILE_ANY);
            case 3 -> values.with(Attribute.CHANGE, status.change());
            case 4 -> values.with(Attribute.SIZE, status.size());
            case 5 -> values.with(Attribute.LINK_SUPPORT, false);
            case 6 -> values.with(Attribute.SYMLINK_SUPPORT, false);
            case 7 -> values.with(Attribute.NAMED_ATTR, false);
            case 8 -> values.with(Attribute.FSID, FILE_SYSTEM);
            case 9 -> values.with(Attribute.UNIQUE_HANDLES, true);
            case 10 -> values.with(Attribute.LEASE_TIME, core.limits().leaseSeconds());
            case 11 -> values.with(Attribute.RDATTR_ERROR, Status.OK);
            case 15 -> values.with(Attribute.CANSETTIME, true);
            case 16 -> values.with(Attribute.CASE_INSENSITIVE, false);
            case 17 -> values.with(Attribute.CASE_PRESERVING, true);
            case 18 -> values.with(Attribute.CHOWN_RESTRICTED, true);
            case 19 -> values.with(Attribute.FILEHANDLE, FileHandle.of(handle.bytes()));
            case 20 -> values.with(Attribute.FILEID, status.inode());
            case 26 -> values.with(Attribute.HOMOGENEOUS, true);
            case 27 -> values.with(Attribute.MAXFILESIZE, Long.MAX_VALUE);
            case 29 -> values.with(Attribute.MAXNAME, Name.MOST);
            case 30 -> values.with(Attribute.MAXREAD, (long) core.limits().transfer());
            case 31 -> values.with(Attribute.MAXWRITE, (long) core.limits().transfer());
            case 33 -> values.with(Attribute.MODE, status.mode());
            case 34 -> values.with(Attribute.NO_TRUNC, true);
            case 35 -> values.with(Attribute.NUMLINKS, status.links());
            case 36 -> values.with(Attribute.OWNER, owner(status.user()));
            case 37 -> values.with(Attribute.OWNER_GROUP, owner(status.group()));
            case 41 -> values.with(Attribute.RAWDEV, new DeviceNumber((int) (status.special() >>> Integer.SIZE), (int) status.special()));
            case 45 -> values.with(Attribute.SPACE_USED, status.used());
            case 47 -> values.with(Attribute.TIME_ACCESS, time(status.accessed()));
            case 51 -> values.with(Attribute.TIME_DELTA, RESOLUTION);
            case 52 -> values.with(Attribute.TIME_METADATA, time(status.changed()));
            case 53 -> values.with(Attribute.TIME_MODIFY, time(status.modified()));
            case 55 -> values.with(Attribute.MOUNTED_ON_FILEID, status.inode());
            case 75 -> values.with(Attribute.SUPPATTR_EXCLCREAT, EXCLUSIVE);
            default -> {
                // 48 and 54 can only be set; GETATTR has refused them.
            }
        }
    }

    /** An owner as a number in digits (RFC 8881, 5.9), which needs no common names. */
    static String owner(int number) {
        return Integer.toUnsignedString(number);
    }

    private static NfsTime time(FileStatus.Time time) {
        return new NfsTime(time.seconds(), time.nanoseconds());
    }

    static FileType type(Kind kind) {
        return switch (kind) {
            case REGULAR -> FileType.REGULAR;
            case DIRECTORY -> FileType.DIRECTORY;
            case LINK -> FileType.SYMBOLIC_LINK;
            case BLOCK_DEVICE -> FileType.BLOCK_DEVICE;
            case CHARACTER_DEVICE -> FileType.CHARACTER_DEVICE;
            case SOCKET -> FileType.SOCKET;
            case PIPE -> FileType.FIFO;
        };
    }
}
