package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/**
 * An attribute of a file or file system (RFC 8881, 5.6 to 5.12). Numbers of RFC 8881 that are unsigned are so here, too: {@code Long} and
 * {@code Integer} hold their bits. Attributes that are no constant here (access control lists, locations, layouts) have no value that this
 * package can encode or decode.
 *
 * @param <T> the type of its value
 */
public final class Attribute<T> {
    private static final Map<Integer, Attribute<?>> BY_NUMBER = new TreeMap<>();

    // In the order of their numbers, which is the order on the wire. RFC 8881 has the meaning of each under its name.
    public static final Attribute<Bitmap> SUPPORTED_ATTRS = new Attribute<>(0, "supported_attrs", Format.BITMAP);
    public static final Attribute<FileType> TYPE = new Attribute<>(1, "type", Format.TYPE);
    public static final Attribute<Integer> FH_EXPIRE_TYPE = new Attribute<>(2, "fh_expire_type", Format.INT);
    public static final Attribute<Long> CHANGE = new Attribute<>(3, "change", Format.LONG);
    public static final Attribute<Long> SIZE = new Attribute<>(4, "size", Format.LONG);
    public static final Attribute<Boolean> LINK_SUPPORT = new Attribute<>(5, "link_support", Format.BOOL);
    public static final Attribute<Boolean> SYMLINK_SUPPORT = new Attribute<>(6, "symlink_support", Format.BOOL);
    public static final Attribute<Boolean> NAMED_ATTR = new Attribute<>(7, "named_attr", Format.BOOL);
    public static final Attribute<FileSystemId> FSID = new Attribute<>(8, "fsid", Format.FSID);
    public static final Attribute<Boolean> UNIQUE_HANDLES = new Attribute<>(9, "unique_handles", Format.BOOL);
    public static final Attribute<Integer> LEASE_TIME = new Attribute<>(10, "lease_time", Format.INT);
    public static final Attribute<Status> RDATTR_ERROR = new Attribute<>(11, "rdattr_error", Format.STATUS);
    public static final Attribute<Integer> ACLSUPPORT = new Attribute<>(13, "aclsupport", Format.INT);
    public static final Attribute<Boolean> ARCHIVE = new Attribute<>(14, "archive", Format.BOOL);
    public static final Attribute<Boolean> CANSETTIME = new Attribute<>(15, "cansettime", Format.BOOL);
    public static final Attribute<Boolean> CASE_INSENSITIVE = new Attribute<>(16, "case_insensitive", Format.BOOL);
    public static final Attribute<Boolean> CASE_PRESERVING = new Attribute<>(17, "case_preserving", Format.BOOL);
    public static final Attribute<Boolean> CHOWN_RESTRICTED = new Attribute<>(18, "chown_restricted", Format.BOOL);
    public static final Attribute<FileHandle> FILEHANDLE = new Attribute<>(19, "filehandle", Format.HANDLE);
    public static final Attribute<Long> FILEID = new Attribute<>(20, "fileid", Format.LONG);
    public static final Attribute<Long> FILES_AVAIL = new Attribute<>(21, "files_avail", Format.LONG);
    public static final Attribute<Long> FILES_FREE = new Attribute<>(22, "files_free", Format.LONG);
    public static final Attribute<Long> FILES_TOTAL = new Attribute<>(23, "files_total", Format.LONG);
    public static final Attribute<Boolean> HIDDEN = new Attribute<>(25, "hidden", Format.BOOL);
    public static final Attribute<Boolean> HOMOGENEOUS = new Attribute<>(26, "homogeneous", Format.BOOL);
    public static final Attribute<Long> MAXFILESIZE = new Attribute<>(27, "maxfilesize", Format.LONG);
    public static final Attribute<Integer> MAXLINK = new Attribute<>(28, "maxlink", Format.INT);
    public static final Attribute<Integer> MAXNAME = new Attribute<>(29, "maxname", Format.INT);
    public static final Attribute<Long> MAXREAD = new Attribute<>(30, "maxread", Format.LONG);
    public static final Attribute<Long> MAXWRITE = new Attribute<>(31, "maxwrite", Format.LONG);
    public static final Attribute<Integer> MODE = new Attribute<>(33, "mode", Format.INT);
    public static final Attribute<Boolean> NO_TRUNC = new Attribute<>(34, "no_trunc", Format.BOOL);
    public static final Attribute<Integer> NUMLINKS = new Attribute<>(35, "numlinks", Format.INT);
    public static final Attribute<String> OWNER = new Attribute<>(36, "owner", Format.NAME);
    public static final Attribute<String> OWNER_GROUP = new Attribute<>(37, "owner_group", Format.NAME);
    public static final Attribute<Long> QUOTA_AVAIL_HARD = new Attribute<>(38, "quota_avail_hard", Format.LONG);
    public static final Attribute<Long> QUOTA_AVAIL_SOFT = new Attribute<>(39, "quota_avail_soft", Format.LONG);
    public static final Attribute<Long> QUOTA_USED = new Attribute<>(40, "quota_used", Format.LONG);
    public static final Attribute<DeviceNumber> RAWDEV = new Attribute<>(41, "rawdev", Format.DEVICE);
    public static final Attribute<Long> SPACE_AVAIL = new Attribute<>(42, "space_avail", Format.LONG);
    public static final Attribute<Long> SPACE_FREE = new Attribute<>(43, "space_free", Format.LONG);
    public static final Attribute<Long> SPACE_TOTAL = new Attribute<>(44, "space_total", Format.LONG);
    public static final Attribute<Long> SPACE_USED = new Attribute<>(45, "space_used", Format.LONG);
    public static final Attribute<Boolean> SYSTEM = new Attribute<>(46, "system", Format.BOOL);
    public static final Attribute<NfsTime> TIME_ACCESS = new Attribute<>(47, "time_access", Format.TIME);
    public static final Attribute<SetTime> TIME_ACCESS_SET = new Attribute<>(48, "time_access_set", Format.SET_TIME);
    public static final Attribute<NfsTime> TIME_BACKUP = new Attribute<>(49, "time_backup", Format.TIME);
    public static final Attribute<NfsTime> TIME_CREATE = new Attribute<>(50, "time_create", Format.TIME);
    public static final Attribute<NfsTime> TIME_DELTA = new Attribute<>(51, "time_delta", Format.TIME);
    public static final Attribute<NfsTime> TIME_METADATA = new Attribute<>(52, "time_metadata", Format.TIME);
    public static final Attribute<NfsTime> TIME_MODIFY = new Attribute<>(53, "time_modify", Format.TIME);
    public static final Attribute<SetTime> TIME_MODIFY_SET = new Attribute<>(54, "time_modify_set", Format.SET_TIME);
    public static final Attribute<Long> MOUNTED_ON_FILEID = new Attribute<>(55, "mounted_on_fileid", Format.LONG);
    public static final Attribute<Integer> LAYOUT_BLKSIZE = new Attribute<>(65, "layout_blksize", Format.INT);
    public static final Attribute<Integer> LAYOUT_ALIGNMENT = new Attribute<>(66, "layout_alignment", Format.INT);
    public static final Attribute<Long> RETENTION_HOLD = new Attribute<>(73, "retention_hold", Format.LONG);
    public static final Attribute<Bitmap> SUPPATTR_EXCLCREAT = new Attribute<>(75, "suppattr_exclcreat", Format.BITMAP);
    public static final Attribute<Integer> FS_CHARSET_CAP = new Attribute<>(76, "fs_charset_cap", Format.INT);

    private final int number;
    private final String name;
    private final Format<T> format;

    private Attribute(int number, String name, Format<T> format) {
        this.number = number;
        this.name = name;
        this.format = format;
        BY_NUMBER.put(number, this);
    }

    /** The attribute of a number; empty if this package cannot decode it. */
    public static Optional<Attribute<?>> of(int number) {
        return Optional.ofNullable(BY_NUMBER.get(number));
    }

    /** The number on the wire. */
    public int number() {
        return number;
    }

    void encode(XdrEncodingStream xdr, Object value) throws IOException {
        format.encode(xdr, format.type().cast(value));
    }

    T decode(XdrDecodingStream xdr) throws IOException {
        return Objects.requireNonNull(format.decode(xdr));
    }

    T cast(Object value) {
        return format.type().cast(value);
    }

    /** The name in RFC 8881. */
    @Override
    public String toString() {
        return name;
    }
}
