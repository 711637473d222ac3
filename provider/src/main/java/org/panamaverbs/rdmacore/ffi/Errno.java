package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.panamaverbs.bindings.libc.Libc;

/** Error numbers of Linux: the names that C programs have for them, and the system's text. */
public final class Errno {
    private static final Map<Integer, String> NAMES = new HashMap<>();

    static {
        NAMES.put(Libc.EPERM(), "EPERM");
        NAMES.put(Libc.ENOENT(), "ENOENT");
        NAMES.put(Libc.EINTR(), "EINTR");
        NAMES.put(Libc.EIO(), "EIO");
        NAMES.put(Libc.ENXIO(), "ENXIO");
        NAMES.put(Libc.E2BIG(), "E2BIG");
        NAMES.put(Libc.EBADF(), "EBADF");
        NAMES.put(Libc.EAGAIN(), "EAGAIN");
        NAMES.put(Libc.ENOMEM(), "ENOMEM");
        NAMES.put(Libc.EACCES(), "EACCES");
        NAMES.put(Libc.EFAULT(), "EFAULT");
        NAMES.put(Libc.EBUSY(), "EBUSY");
        NAMES.put(Libc.EEXIST(), "EEXIST");
        NAMES.put(Libc.ENODEV(), "ENODEV");
        NAMES.put(Libc.EINVAL(), "EINVAL");
        NAMES.put(Libc.ENFILE(), "ENFILE");
        NAMES.put(Libc.EMFILE(), "EMFILE");
        NAMES.put(Libc.EFBIG(), "EFBIG");
        NAMES.put(Libc.ENOSPC(), "ENOSPC");
        NAMES.put(Libc.EPIPE(), "EPIPE");
        NAMES.put(Libc.ERANGE(), "ERANGE");
        NAMES.put(Libc.ENOSYS(), "ENOSYS");
        NAMES.put(Libc.EPROTO(), "EPROTO");
        NAMES.put(Libc.EOVERFLOW(), "EOVERFLOW");
        NAMES.put(Libc.ENOTSOCK(), "ENOTSOCK");
        NAMES.put(Libc.EMSGSIZE(), "EMSGSIZE");
        NAMES.put(Libc.EPROTONOSUPPORT(), "EPROTONOSUPPORT");
        NAMES.put(Libc.EOPNOTSUPP(), "EOPNOTSUPP");
        NAMES.put(Libc.EAFNOSUPPORT(), "EAFNOSUPPORT");
        NAMES.put(Libc.EADDRINUSE(), "EADDRINUSE");
        NAMES.put(Libc.EADDRNOTAVAIL(), "EADDRNOTAVAIL");
        NAMES.put(Libc.ENETDOWN(), "ENETDOWN");
        NAMES.put(Libc.ENETUNREACH(), "ENETUNREACH");
        NAMES.put(Libc.ECONNABORTED(), "ECONNABORTED");
        NAMES.put(Libc.ECONNRESET(), "ECONNRESET");
        NAMES.put(Libc.ENOBUFS(), "ENOBUFS");
        NAMES.put(Libc.EISCONN(), "EISCONN");
        NAMES.put(Libc.ENOTCONN(), "ENOTCONN");
        NAMES.put(Libc.ESHUTDOWN(), "ESHUTDOWN");
        NAMES.put(Libc.ETIMEDOUT(), "ETIMEDOUT");
        NAMES.put(Libc.ECONNREFUSED(), "ECONNREFUSED");
        NAMES.put(Libc.EHOSTDOWN(), "EHOSTDOWN");
        NAMES.put(Libc.EHOSTUNREACH(), "EHOSTUNREACH");
        NAMES.put(Libc.EALREADY(), "EALREADY");
        NAMES.put(Libc.EINPROGRESS(), "EINPROGRESS");
        NAMES.put(Libc.ECANCELED(), "ECANCELED");
        NAMES.put(Libc.ENODATA(), "ENODATA");
    }

    private Errno() {
    }

    /** Name, number and text: {@code EPIPE (32), Broken pipe}. */
    public static String describe(int number) {
        if (number == 0) {
            return "the driver gives no reason";
        }
        return NAMES.getOrDefault(number, "errno") + " (" + number + "), " + text(number);
    }

    private static String text(int number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(256);
            Libc.strerror_r(number, text, text.byteSize());
            return text.getString(0);
        }
    }
}
