package org.panamaverbs.softiwarp.transport;

import java.util.Map;
import org.panamaverbs.bindings.libc.Libc;

/** Error numbers of Linux, and the names of those that files, sockets and epoll return, for messages. */
public final class Errno {
    public static final int EINTR = Libc.EINTR();
    public static final int EAGAIN = Libc.EAGAIN();
    public static final int EFAULT = Libc.EFAULT();
    public static final int EINPROGRESS = Libc.EINPROGRESS();
    public static final int ENOSYS = Libc.ENOSYS();
    public static final int EADDRINUSE = Libc.EADDRINUSE();
    public static final int EADDRNOTAVAIL = Libc.EADDRNOTAVAIL();
    public static final int ECONNREFUSED = Libc.ECONNREFUSED();
    public static final int ECONNRESET = Libc.ECONNRESET();
    public static final int EPIPE = Libc.EPIPE();
    static final int ENOTCONN = Libc.ENOTCONN();

    private static final Map<Integer, String> NAMES = Map.ofEntries(name(Libc.EPERM(), "EPERM"), name(Libc.ENOENT(), "ENOENT"),
            name(EINTR, "EINTR"), name(Libc.EIO(), "EIO"), name(Libc.EBADF(), "EBADF"), name(EAGAIN, "EAGAIN"),
            name(Libc.ENOMEM(), "ENOMEM"), name(Libc.EACCES(), "EACCES"), name(EFAULT, "EFAULT"), name(Libc.EBUSY(), "EBUSY"),
            name(Libc.EEXIST(), "EEXIST"), name(Libc.ENODEV(), "ENODEV"), name(Libc.EINVAL(), "EINVAL"), name(Libc.ENFILE(), "ENFILE"),
            name(Libc.EMFILE(), "EMFILE"), name(Libc.ENOSPC(), "ENOSPC"), name(EPIPE, "EPIPE"), name(Libc.EDOM(), "EDOM"),
            name(Libc.ERANGE(), "ERANGE"), name(Libc.ELOOP(), "ELOOP"), name(ENOSYS, "ENOSYS"), name(Libc.EPROTO(), "EPROTO"),
            name(Libc.EOVERFLOW(), "EOVERFLOW"), name(Libc.ENOTSOCK(), "ENOTSOCK"), name(Libc.EDESTADDRREQ(), "EDESTADDRREQ"),
            name(Libc.EMSGSIZE(), "EMSGSIZE"), name(Libc.EPROTOTYPE(), "EPROTOTYPE"), name(Libc.ENOPROTOOPT(), "ENOPROTOOPT"),
            name(Libc.EPROTONOSUPPORT(), "EPROTONOSUPPORT"), name(Libc.ESOCKTNOSUPPORT(), "ESOCKTNOSUPPORT"),
            name(Libc.EOPNOTSUPP(), "EOPNOTSUPP"), name(Libc.EPFNOSUPPORT(), "EPFNOSUPPORT"), name(Libc.EAFNOSUPPORT(), "EAFNOSUPPORT"),
            name(EADDRINUSE, "EADDRINUSE"), name(EADDRNOTAVAIL, "EADDRNOTAVAIL"), name(Libc.ENETDOWN(), "ENETDOWN"),
            name(Libc.ENETUNREACH(), "ENETUNREACH"), name(Libc.ENETRESET(), "ENETRESET"), name(Libc.ECONNABORTED(), "ECONNABORTED"),
            name(ECONNRESET, "ECONNRESET"), name(Libc.ENOBUFS(), "ENOBUFS"), name(Libc.EISCONN(), "EISCONN"),
            name(ENOTCONN, "ENOTCONN"), name(Libc.ESHUTDOWN(), "ESHUTDOWN"), name(Libc.ETOOMANYREFS(), "ETOOMANYREFS"),
            name(Libc.ETIMEDOUT(), "ETIMEDOUT"), name(ECONNREFUSED, "ECONNREFUSED"), name(Libc.EHOSTDOWN(), "EHOSTDOWN"),
            name(Libc.EHOSTUNREACH(), "EHOSTUNREACH"), name(Libc.EALREADY(), "EALREADY"), name(EINPROGRESS, "EINPROGRESS"),
            name(Libc.ECANCELED(), "ECANCELED"), name(Libc.ENONET(), "ENONET"));

    private Errno() {
    }

    /** The name of an error number in C, and the number: {@code EPIPE (32)}. */
    public static String name(int number) {
        String name = NAMES.get(number);
        return name == null ? "errno " + number : name + " (" + number + ")";
    }

    /** Whether file descriptors or kernel memory ran out: a limit, not a fault. */
    static boolean isLimit(int number) {
        return number == Libc.EMFILE() || number == Libc.ENFILE() || number == Libc.ENOMEM() || number == Libc.ENOBUFS();
    }

    private static Map.Entry<Integer, String> name(int number, String name) {
        return Map.entry(number, name);
    }
}
