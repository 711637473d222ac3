package org.panamaverbs.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.panamaverbs.bindings.libc.Libc;

/** Error numbers of Linux ({@code errno.h}), their names in C programs, and the system's text. They are the same on all processors. */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int ENXIO = 6;
    public static final int E2BIG = 7;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EFAULT = 14;
    public static final int EBUSY = 16;
    public static final int EEXIST = 17;
    public static final int EXDEV = 18;
    public static final int ENODEV = 19;
    public static final int ENOTDIR = 20;
    public static final int EISDIR = 21;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int EFBIG = 27;
    public static final int ENOSPC = 28;
    public static final int EROFS = 30;
    public static final int EMLINK = 31;
    public static final int EPIPE = 32;
    public static final int EDOM = 33;
    public static final int ERANGE = 34;
    public static final int ENAMETOOLONG = 36;
    public static final int ENOSYS = 38;
    public static final int ENOTEMPTY = 39;
    public static final int ELOOP = 40;
    public static final int ENODATA = 61;
    public static final int ENONET = 64;
    public static final int EPROTO = 71;
    public static final int EOVERFLOW = 75;
    public static final int ENOTSOCK = 88;
    public static final int EDESTADDRREQ = 89;
    public static final int EMSGSIZE = 90;
    public static final int EPROTOTYPE = 91;
    public static final int ENOPROTOOPT = 92;
    public static final int EPROTONOSUPPORT = 93;
    public static final int ESOCKTNOSUPPORT = 94;
    public static final int EOPNOTSUPP = 95;
    public static final int EPFNOSUPPORT = 96;
    public static final int EAFNOSUPPORT = 97;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENETDOWN = 100;
    public static final int ENETUNREACH = 101;
    public static final int ENETRESET = 102;
    public static final int ECONNABORTED = 103;
    public static final int ECONNRESET = 104;
    public static final int ENOBUFS = 105;
    public static final int EISCONN = 106;
    public static final int ENOTCONN = 107;
    public static final int ESHUTDOWN = 108;
    public static final int ETOOMANYREFS = 109;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTDOWN = 112;
    public static final int EHOSTUNREACH = 113;
    public static final int EALREADY = 114;
    public static final int EINPROGRESS = 115;
    public static final int ESTALE = 116;
    public static final int EDQUOT = 122;
    public static final int ECANCELED = 125;

    private static final Map<Integer, String> NAMES = names();

    private Errno() {
    }

    private static Map<Integer, String> names() {
        Map<Integer, String> names = new HashMap<>();
        try {
            for (Field field : Errno.class.getFields()) {
                names.put(field.getInt(null), field.getName());
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError("the fields are our own", e);
        }
        return names;
    }

    /** The name of an error number in C, and the number: {@code EPIPE (32)}. */
    public static String name(int number) {
        String name = NAMES.get(number);
        return name == null ? "errno " + number : name + " (" + number + ")";
    }

    /** Name, number and text: {@code EPIPE (32), Broken pipe}; 0 is no error number. */
    public static String describe(int number) {
        return number == 0 ? "no reason is given" : name(number) + ", " + text(number);
    }

    /** The system's text of an error number: {@code Broken pipe}. */
    public static String text(int number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(256);
            Libc.strerror_r(number, text, text.byteSize());
            return text.getString(0);
        } catch (OutOfMemoryError e) {
            // The name of the error says this, too.
            return "no memory for its text";
        }
    }

    /** Whether file descriptors or kernel memory ran out: a limit, not a fault. */
    public static boolean isLimit(int number) {
        return number == EMFILE || number == ENFILE || number == ENOMEM || number == ENOBUFS;
    }
}
