package org.panamaverbs.softiwarp.transport;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.util.Locale;
import java.util.stream.Collectors;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;

/** Turns system errors into exceptions. A message names the attempt, the address, the call, the error with its number, and a remedy. */
public final class Failures {
    private static final String NO_DESCRIPTORS = "the process has no file descriptor left: raise its limit (ulimit -n, or LimitNOFILE= of "
            + "a systemd unit), or close connections";

    private static final String CONNECT = "connect";

    private Failures() {
    }

    /**
     * Loads what a failure needs. If the process has no file descriptor left, no class loads from a folder, and the reference to a class that
     * has failed to load once stays broken.
     */
    public static void prepare() {
        of("accept", "accept4", Errno.EMFILE);
        of("accept", "accept4", Errno.ECONNABORTED);
    }

    /**
     * The exception for a failed system call, with the system's text.
     *
     * @param action the action that failed, with the address: {@code "connect to 10.0.0.1:4791"}
     * @param call   the name of the call
     * @param number the error number
     */
    public static VerbsException of(String action, String call, int number) {
        return of(action, call, number, Errno.text(number));
    }

    /**
     * The exception for a failed call.
     *
     * @param action the action that failed, with the address: {@code "connect to 10.0.0.1:4791"}
     * @param call   the name of the call
     * @param number the error number
     * @param text   the text for that number
     */
    public static VerbsException of(String action, String call, int number, String text) {
        String cure = cure(action, number);
        String message = action + ": " + call + ": " + Errno.name(number) + ", " + text + (cure == null ? "" : "; " + cure);
        return Errno.isLimit(number) ? new ResourceException(message) : new SystemException(message, number);
    }

    private static String cure(String action, int number) {
        return switch (number) {
            case Errno.EADDRINUSE -> "another socket has this address and port: close it, or choose another port (0 picks a free one)";
            case Errno.EADDRNOTAVAIL -> "no network interface of this machine has this address"
                    + (action.startsWith(CONNECT) ? ", or no local port is free" : "") + ": \"ip address\" lists those it has";
            case Errno.EACCES -> "ports below net.ipv4.ip_unprivileged_port_start need CAP_NET_BIND_SERVICE; or a firewall forbids it";
            case Errno.ECONNREFUSED -> "no program listens there, or its backlog is full";
            case Errno.EHOSTUNREACH, Errno.ENETUNREACH ->
                "there is no route to it, or a firewall rejects it: try \"ip route get\" with the address";
            case Errno.ETIMEDOUT -> "the peer does not answer: it is down, or the link to it is cut, or a firewall drops the packets";
            case Errno.ECONNRESET, Errno.EPIPE -> "the peer has ended the connection";
            case Errno.EMFILE -> NO_DESCRIPTORS;
            case Errno.ENFILE -> "the machine has no file descriptor left: raise fs.file-max";
            case Errno.ENOBUFS -> "the kernel has no memory left for sockets: see net.ipv4.tcp_mem";
            case Errno.ENOMEM -> "the kernel has no memory left; for sockets see net.ipv4.tcp_mem";
            case Errno.ENODEV ->
                "no network interface serves this group: name one that is up and has an address, or add a route to the group";
            case Errno.EAFNOSUPPORT -> "this machine has no IPv6: use an IPv4 address";
            default -> null;
        };
    }

    /** The exception for a failed NIO method. NIO gives no error number: the class and the text of its exception stand for one. */
    public static VerbsException of(String action, String call, IOException e) {
        String words = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        String message = action + ": " + call + ": " + e.getMessage();
        int number = 0;
        if (words.contains("too many open files")) {
            return new ResourceException(message + "; " + NO_DESCRIPTORS, e);
        } else if (e instanceof BindException && words.contains("in use")) {
            number = Errno.EADDRINUSE;
        } else if (e instanceof BindException && words.contains("assign")) {
            number = Errno.EADDRNOTAVAIL;
        } else if (e instanceof ConnectException && words.contains("refused")) {
            number = Errno.ECONNREFUSED;
        } else if (words.contains("timed out")) {
            number = Errno.ETIMEDOUT;
        } else if (e instanceof NoRouteToHostException) {
            number = Errno.EHOSTUNREACH;
        }
        String cure = cure(action, number);
        return new SystemException(cure == null ? message : message + "; " + cure, number, e);
    }

    /** Names a connection: the start of a message. */
    public static String connection(InetSocketAddress local, InetSocketAddress remote) {
        return "connection " + Route.text(local) + " - " + Route.text(remote);
    }

    /**
     * The network interface of a name.
     *
     * @param action the action that failed, with the address
     * @throws SystemException if there is no such interface; the message names those that there are
     */
    public static NetworkInterface requireInterface(String action, String name) {
        try {
            NetworkInterface found = NetworkInterface.getByName(name);
            if (found != null) {
                return found;
            }
            String names = NetworkInterface.networkInterfaces().map(NetworkInterface::getName).sorted().collect(Collectors.joining(", "));
            throw new SystemException(action + ": no network interface is named \"" + name + "\"; this machine has " + names, Errno.ENODEV);
        } catch (SocketException e) {
            throw of(action, "list the network interfaces", e);
        }
    }

    /** Refuses an address whose host name is not resolved. */
    public static void requireResolved(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("address " + Route.text(address) + " is not resolved");
        }
    }
}
