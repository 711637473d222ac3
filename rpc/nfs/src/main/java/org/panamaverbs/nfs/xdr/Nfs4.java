package org.panamaverbs.nfs.xdr;

/** Numbers of NFS version 4.1 (RFC 8881; RFC 5662 has them as XDR). Lengths are in bytes. */
// Tested by NfsServerTest, LocksTest.
public final class Nfs4 {
    /** The RPC program. */
    public static final int PROGRAM = 100003;
    /** Its version. */
    public static final int VERSION = 4;
    /** The minor version. */
    public static final int MINOR_VERSION = 1;
    /** The procedure that does nothing. */
    public static final int NULL = 0;
    /** The procedure that carries operations. */
    public static final int COMPOUND = 1;

    /** Port of NFS over TCP. */
    public static final int PORT = 2049;
    /** Port of NFS over RPC-over-RDMA (RFC 8267, 7). */
    public static final int RDMA_PORT = 20049;

    /** The longest file handle. */
    public static final int HANDLE_SIZE = 128;
    /** The length of a verifier; it is a {@code long} here. */
    public static final int VERIFIER_SIZE = 8;
    /** The length of a session id. */
    public static final int SESSION_ID_SIZE = 16;
    /** The longest owner and other opaque of its kind. */
    public static final int OPAQUE_LIMIT = 1024;
    /** The longest name of a file that is taken; file systems of Linux have 255. */
    public static final int NAME_LIMIT = 1024;
    /** The longest name of an owner or group that is taken. */
    public static final int OWNER_LIMIT = 1024;
    /** The longest list of attributes that is taken. */
    public static final int ATTRIBUTES_LIMIT = 64 * 1024;
    /** The longest tag of a compound that is taken. */
    public static final int TAG_LIMIT = 1024;
    /** The most operations of a compound that are taken. */
    public static final int OPERATIONS_LIMIT = 64;

    /** EXCHANGE_ID: the client takes replies without pNFS. Of eia_flags and eir_flags (RFC 8881, 18.35). */
    public static final int EXCHGID4_FLAG_USE_NON_PNFS = 0x00010000;
    /** EXCHANGE_ID: a record of this client was confirmed before. */
    public static final int EXCHGID4_FLAG_CONFIRMED_R = 0x80000000;
    /** EXCHANGE_ID: no state protection. */
    public static final int SP4_NONE = 0;

    /** CREATE_SESSION: the reply cache is to persist. */
    public static final int CREATE_SESSION4_FLAG_PERSIST = 1;
    /** CREATE_SESSION: this connection is the back channel, too. */
    public static final int CREATE_SESSION4_FLAG_CONN_BACK_CHAN = 2;
    /** CREATE_SESSION: step up to RDMA. */
    public static final int CREATE_SESSION4_FLAG_CONN_RDMA = 4;

    /** OPEN: read. Of share_access. */
    public static final int OPEN4_SHARE_ACCESS_READ = 1;
    /** OPEN: write. */
    public static final int OPEN4_SHARE_ACCESS_WRITE = 2;
    /** OPEN: both. */
    public static final int OPEN4_SHARE_ACCESS_BOTH = 3;
    /** OPEN: all that share_access says of delegations. */
    public static final int OPEN4_SHARE_ACCESS_WANT_DELEG_MASK = 0xff00;
    /** OPEN: the client wants no delegation. */
    public static final int OPEN4_SHARE_ACCESS_WANT_NO_DELEG = 0x0400;
    /** OPEN: nobody is denied. Of share_deny. */
    public static final int OPEN4_SHARE_DENY_NONE = 0;
    /** OPEN: readers are denied. */
    public static final int OPEN4_SHARE_DENY_READ = 1;
    /** OPEN: writers are denied. */
    public static final int OPEN4_SHARE_DENY_WRITE = 2;
    /** OPEN: both are denied. */
    public static final int OPEN4_SHARE_DENY_BOTH = 3;

    /** OPEN: an existing file. Of opentype. */
    public static final int OPEN4_NOCREATE = 0;
    /** OPEN: a file that is created if there is none. */
    public static final int OPEN4_CREATE = 1;
    /** OPEN: no matter whether there is one. Of createmode. */
    public static final int UNCHECKED4 = 0;
    /** OPEN: there must be none. */
    public static final int GUARDED4 = 1;
    /** OPEN: there must be none, or one that was created with this verifier; no attributes. */
    public static final int EXCLUSIVE4 = 2;
    /** OPEN: likewise, with attributes. */
    public static final int EXCLUSIVE4_1 = 3;

    /** OPEN: the file of a name in the current directory. Of claim. */
    public static final int CLAIM_NULL = 0;
    /** OPEN: a file that was open before the server started again. */
    public static final int CLAIM_PREVIOUS = 1;
    /** OPEN: the file that is the current file handle. */
    public static final int CLAIM_FH = 4;

    /** OPEN's reply: POSIX locks. Of rflags. */
    public static final int OPEN4_RESULT_LOCKTYPE_POSIX = 4;
    /** OPEN's reply: the file stays after REMOVE while it is open. */
    public static final int OPEN4_RESULT_PRESERVE_UNLINKED = 8;

    /** OPEN's reply: no delegation. Of delegation_type. */
    public static final int OPEN_DELEGATE_NONE = 0;
    /** OPEN's reply: a delegation to read. */
    public static final int OPEN_DELEGATE_READ = 1;
    /** OPEN's reply: a delegation to write. */
    public static final int OPEN_DELEGATE_WRITE = 2;
    /** OPEN's reply: no delegation, and why. */
    public static final int OPEN_DELEGATE_NONE_EXT = 3;
    /** Why there is no delegation: the client wants none. */
    public static final int WND4_NOT_WANTED = 0;
    /** Why there is no delegation: contention; a boolean follows. */
    public static final int WND4_CONTENTION = 1;
    /** Why there is no delegation: resources; a boolean follows. */
    public static final int WND4_RESOURCE = 2;

    /** LOCK: shared. Of locktype. */
    public static final int READ_LT = 1;
    /** LOCK: exclusive. */
    public static final int WRITE_LT = 2;
    /** LOCK: shared, and the client waits for it by asking again. */
    public static final int READW_LT = 3;
    /** LOCK: exclusive, likewise. */
    public static final int WRITEW_LT = 4;

    /** WRITE: data may be lost until COMMIT. Of stable_how. */
    public static final int UNSTABLE4 = 0;
    /** WRITE: data are kept; metadata that lead to them may be lost. */
    public static final int DATA_SYNC4 = 1;
    /** WRITE: all is kept. */
    public static final int FILE_SYNC4 = 2;

    /** ACCESS: read a file or list a directory. */
    public static final int ACCESS4_READ = 0x01;
    /** ACCESS: look a name up. */
    public static final int ACCESS4_LOOKUP = 0x02;
    /** ACCESS: change existing data. */
    public static final int ACCESS4_MODIFY = 0x04;
    /** ACCESS: write new data, or add entries. */
    public static final int ACCESS4_EXTEND = 0x08;
    /** ACCESS: remove entries. */
    public static final int ACCESS4_DELETE = 0x10;
    /** ACCESS: execute. */
    public static final int ACCESS4_EXECUTE = 0x20;

    /** fh_expire_type: file handles stay. */
    public static final int FH4_PERSISTENT = 0;
    /** fh_expire_type: file handles may become stale at any time. */
    public static final int FH4_VOLATILE_ANY = 2;

    /** settime4: the server's own time. */
    public static final int SET_TO_SERVER_TIME4 = 0;
    /** settime4: the time that follows. */
    public static final int SET_TO_CLIENT_TIME4 = 1;

    private Nfs4() {
    }
}
