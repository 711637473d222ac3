package org.panamaverbs.tools.shared;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.panamaverbs.cm.Route;

/**
 * An address as it is written on the command line: HOST, HOST:PORT, [IPV6]:PORT, :PORT or, for a listener, PORT.
 *
 * @param host may be empty: loopback
 * @param port 0 to 65535
 */
public record HostPort(String host, int port) {
    /** @throws IllegalArgumentException if it is no address */
    public static HostPort parse(String text, int defaultPort) {
        String host = text;
        String port = "";
        int bracket = text.startsWith("[") ? text.indexOf(']') : -1;
        if (bracket > 0) {
            host = text.substring(1, bracket);
            port = text.substring(bracket + 1);
            if (!port.isEmpty() && !port.startsWith(":")) {
                throw new IllegalArgumentException("\"" + text + "\" is not an address, such as [::1]:7174");
            }
        } else if (text.indexOf(':') >= 0 && text.indexOf(':') == text.lastIndexOf(':')) {
            host = text.substring(0, text.indexOf(':'));
            port = text.substring(text.indexOf(':'));
        }
        if (port.isEmpty()) {
            return new HostPort(host, defaultPort);
        }
        return new HostPort(host, port(port.substring(1), text));
    }

    /** The same, except that a lone number is a port. */
    public static HostPort parseListener(String text, int defaultPort) {
        return text.matches("\\d+") ? new HostPort("", port(text, text)) : parse(text, defaultPort);
    }

    private static int port(String port, String text) {
        if (!port.matches("\\d{1,5}") || Integer.parseInt(port) > 65535) {
            throw new IllegalArgumentException("\"" + port + "\" in \"" + text + "\" is not a port: those are 0 to 65535");
        }
        return Integer.parseInt(port);
    }

    /** @throws Failure if nobody knows the host */
    public InetSocketAddress resolve() {
        try {
            return new InetSocketAddress(host.isEmpty() ? InetAddress.getLoopbackAddress() : InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new Failure("unknown host \"" + host + "\"", e);
        }
    }

    /** An address as text, without the host name that the JDK puts in front. */
    public static String text(InetSocketAddress address) {
        return Route.text(address);
    }
}
