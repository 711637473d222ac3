package org.panamaverbs.nio;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The addresses that go over verbs, as the setting {@code panamaverbs.nio.addresses} names them. */
// Tested by NamedAddressesTest.
final class NamedAddresses {
    private static final int LAST_PORT = 65_535;

    private final String text;
    private final List<Entry> entries;

    /**
     * One entry.
     *
     * @param excludes  whether matching addresses stay with the JDK
     * @param network   the bytes of an address; {@code null} for all
     * @param prefix    how many bits of it count
     * @param firstPort 0 to 65,535
     * @param lastPort  not less
     */
    private record Entry(boolean excludes, byte @Nullable [] network, int prefix, int firstPort, int lastPort) {
        boolean matches(InetSocketAddress address) {
            int port = address.getPort();
            return port >= firstPort && port <= lastPort && (network == null || isInside(address.getAddress(), network));
        }

        private boolean isInside(InetAddress address, byte[] wanted) {
            if (address.isAnyLocalAddress()) {
                // A server on all addresses has this one as well. To keep some ports off verbs, an entry names them.
                return !excludes;
            }
            byte[] bytes = address.getAddress();
            if (bytes.length != wanted.length) {
                return false;
            }
            for (int bit = 0; bit < prefix; bit += Byte.SIZE) {
                int mask = 0xFF00 >> Math.min(Byte.SIZE, prefix - bit) & 0xFF;
                if (((bytes[bit / Byte.SIZE] ^ wanted[bit / Byte.SIZE]) & mask) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    private NamedAddresses(String text, List<Entry> entries) {
        this.text = text;
        this.entries = entries;
    }

    /**
     * Reads the text of the setting.
     *
     * @param text entries {@code [!]network[:port[-port]]}, separated by commas. A network is {@code *}, an address, or an address with the
     *             length of its prefix; one of IPv6 stands in brackets
     * @return the addresses
     * @throws IllegalArgumentException if an entry has another form
     */
    static NamedAddresses parse(String text) {
        List<Entry> entries = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            if (!part.isBlank()) {
                entries.add(entry(part.strip()));
            }
        }
        return new NamedAddresses(text, entries);
    }

    private static Entry entry(String text) {
        boolean excludes = text.startsWith("!");
        String rest = excludes ? text.substring(1) : text;
        int colon = rest.indexOf(':', rest.startsWith("[") ? Math.max(0, rest.indexOf(']')) : 0);
        String network = colon < 0 ? rest : rest.substring(0, colon);
        String ports = colon < 0 ? "0-" + LAST_PORT : rest.substring(colon + 1);
        int dash = ports.indexOf('-');
        int first = number(dash < 0 ? ports : ports.substring(0, dash), LAST_PORT, "port", text);
        int last = dash < 0 ? first : number(ports.substring(dash + 1), LAST_PORT, "port", text);
        if (last < first) {
            throw new IllegalArgumentException("has ports from " + first + " down to " + last + " in \"" + text + "\"");
        }
        if (network.equals("*")) {
            return new Entry(excludes, null, 0, first, last);
        }
        int slash = network.indexOf('/');
        byte[] address = literal(slash < 0 ? network : network.substring(0, slash), text);
        int bits = address.length * Byte.SIZE;
        return new Entry(excludes, address, slash < 0 ? bits : number(network.substring(slash + 1), bits, "prefix", text), first, last);
    }

    private static byte[] literal(String address, String entry) {
        boolean bracketed = address.startsWith("[") && address.endsWith("]");
        try {
            InetAddress read = InetAddress.ofLiteral(bracketed ? address.substring(1, address.length() - 1) : address);
            if (read instanceof Inet4Address && !read.getHostAddress().equals(address)) {
                // The JDK takes 10.1 for 10.0.0.1.
                throw new IllegalArgumentException("an abbreviation");
            }
            return read.getAddress();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "has \"" + entry + "\", which is no network: write * or an address, as in 10.1.0.0/16 or [fd00::]/8", e);
        }
    }

    private static int number(String digits, int most, String meaning, String entry) {
        try {
            int value = Integer.parseInt(digits);
            if (value >= 0 && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // As for a number that is too large.
        }
        throw new IllegalArgumentException("has the " + meaning + " \"" + digits + "\" in \"" + entry + "\", which is not 0 to " + most);
    }

    /** {@return whether channels to or from this address go over verbs; for an address of a server that stands for all, some network must be named} */
    boolean contain(InetSocketAddress address) {
        for (Entry entry : entries) {
            if (entry.matches(address)) {
                return !entry.excludes;
            }
        }
        return false;
    }

    /** {@return whether no address goes over verbs} */
    boolean isEmpty() {
        return entries.isEmpty();
    }

    @Override
    public String toString() {
        return text;
    }
}
