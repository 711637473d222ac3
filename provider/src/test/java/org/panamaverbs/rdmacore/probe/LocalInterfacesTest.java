package org.panamaverbs.rdmacore.probe;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.device.GlobalIdentifier;

/** By which identifier of a port the kernel finds the interface of an address. */
class LocalInterfacesTest {
    private static final String ETHERNET = "02:fc:00:00:00:01";
    private static final GlobalIdentifier OF_ETHERNET = new GlobalIdentifier(0x02fc_0000_0001_0000L, 0);
    private static final String IPOIB = "80:00:00:48:fe:80:00:00:00:00:00:00:00:02:c9:03:00:0a:bc:de";
    private static final GlobalIdentifier OF_IPOIB = new GlobalIdentifier(0xfe80_0000_0000_0000L, 0x0002_c903_000a_bcdeL);

    private final LocalInterfaces interfaces = new LocalInterfaces();

    private static List<InetAddress> addresses(String... texts) throws UnknownHostException {
        InetAddress[] addresses = new InetAddress[texts.length];
        for (int i = 0; i < texts.length; i++) {
            addresses[i] = InetAddress.getByName(texts[i]);
        }
        return List.of(addresses);
    }

    private static GlobalIdentifier identifier(String address) throws UnknownHostException {
        return GlobalIdentifier.of(InetAddress.getByName(address));
    }

    @Test
    void shouldKnowTheAddressesThatAreIdentifiersOnRoce() throws UnknownHostException {
        interfaces.add("eth0", addresses("192.0.2.2", "2001:db8::2", "fe80::2"), ETHERNET);
        assertTrue(interfaces.has(identifier("192.0.2.2")));
        assertTrue(interfaces.has(identifier("2001:db8::2")));
        assertFalse(interfaces.has(identifier("192.0.2.3")));
        assertFalse(interfaces.has(identifier("fe80::2")), "every interface has such an address");
    }

    @Test
    void shouldKnowTheEthernetAddressThatIsTheIdentifierOnIwarp() throws UnknownHostException {
        interfaces.add("eth0", addresses("192.0.2.2"), ETHERNET);
        assertTrue(interfaces.has(OF_ETHERNET));
        assertFalse(interfaces.has(OF_IPOIB));
    }

    @Test
    void shouldKnowTheIdentifierInAnIpoibAddress() throws UnknownHostException {
        interfaces.add("ib0", addresses("192.0.2.2"), IPOIB);
        assertTrue(interfaces.has(OF_IPOIB));
    }

    @Test
    void shouldLeaveOutAnInterfaceWithoutAnAddress() throws UnknownHostException {
        interfaces.add("eth0", addresses("fe80::2"), ETHERNET);
        interfaces.add("ib0", addresses(), IPOIB);
        assertFalse(interfaces.has(OF_ETHERNET));
        assertFalse(interfaces.has(OF_IPOIB));
        assertFalse(interfaces.has("eth0") || interfaces.has("ib0"));
    }

    @Test
    void shouldTakeNoEmptyIdentifierForTheLoopbackInterface() throws UnknownHostException {
        interfaces.add("lo", addresses("127.0.0.1"), "00:00:00:00:00:00");
        interfaces.add("tun0", addresses("192.0.2.2"), "");
        assertFalse(interfaces.has(new GlobalIdentifier(0, 0)));
        assertTrue(interfaces.has("lo") && interfaces.has("tun0"));
    }

    @Test
    void shouldFindThoseOfThisMachine() {
        assertTrue(LocalInterfaces.find().has(GlobalIdentifier.of(InetAddress.getLoopbackAddress())));
    }
}
