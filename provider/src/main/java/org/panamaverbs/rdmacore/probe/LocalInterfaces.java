package org.panamaverbs.rdmacore.probe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.panamaverbs.device.GlobalIdentifier;

/**
 * The network interfaces that a connection can start from: they are up and have an IP address. Link-local addresses of IPv6 do not count,
 * since nearly every interface has one. The kernel's connection manager finds a device by comparing the identifiers of its ports with
 * those of the interface that an address belongs to:
 *
 * <ul>
 * <li>on RoCE an identifier is the IP address itself,
 * <li>on iWARP it is the interface's Ethernet address, followed by zeros,
 * <li>on InfiniBand it is the end of the hardware address of the IPoIB interface.
 * </ul>
 */
final class LocalInterfaces {
    private static final Path INTERFACES = Path.of("/sys/class/net");
    private static final int ETHERNET_LENGTH = 6;
    private static final int INFINIBAND_LENGTH = 20;

    private final Set<String> names = new HashSet<>();
    private final Set<GlobalIdentifier> identifiers = new HashSet<>();

    /** Those of this machine, as far as this process sees them. */
    static LocalInterfaces find() {
        LocalInterfaces found = new LocalInterfaces();
        try {
            for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
                if (each.isUp()) {
                    found.add(each.getName(), each.inetAddresses().toList(), hardwareAddress(each.getName()));
                }
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException("the network interfaces cannot be listed", e);
        }
    }

    /** As the kernel writes it; empty if an interface has none. */
    private static String hardwareAddress(String name) {
        try {
            return Files.readString(INTERFACES.resolve(name).resolve("address")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Adds an interface that is up.
     *
     * @param hardware its hardware address, bytes with colons between them
     */
    void add(String name, List<InetAddress> addresses, String hardware) {
        List<InetAddress> usable = new ArrayList<>(addresses);
        usable.removeIf(address -> address instanceof Inet6Address && address.isLinkLocalAddress());
        if (usable.isEmpty()) {
            return;
        }
        names.add(name);
        usable.forEach(address -> identifiers.add(GlobalIdentifier.of(address)));
        byte[] bytes = hardware.isEmpty() ? new byte[0] : HexFormat.ofDelimiter(":").parseHex(hardware);
        byte[] identifier = new byte[16];
        if (bytes.length == ETHERNET_LENGTH) {
            System.arraycopy(bytes, 0, identifier, 0, ETHERNET_LENGTH);
        } else if (bytes.length == INFINIBAND_LENGTH) {
            System.arraycopy(bytes, INFINIBAND_LENGTH - identifier.length, identifier, 0, identifier.length);
        }
        identifiers.add(GlobalIdentifier.of(identifier));
    }

    /** Whether a connection can start from an interface that this identifier of a port belongs to. */
    boolean has(GlobalIdentifier identifier) {
        return !identifier.isEmpty() && identifiers.contains(identifier);
    }

    /** Whether a connection can start from the interface with this name. */
    boolean has(String name) {
        return names.contains(name);
    }
}
