package org.panamaverbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** Which addresses are one peer. */
class PeerNetworkTest {
    @Test
    void shouldTellAddressesOfVersion4Apart() throws UnknownHostException {
        assertEquals(of("192.0.2.1"), of("192.0.2.1"));
        assertNotEquals(of("192.0.2.1"), of("192.0.2.2"));
        assertEquals("192.0.2.1", of("192.0.2.1").toString());
    }

    @Test
    void shouldTakeANetworkOfVersion6ForOnePeer() throws UnknownHostException {
        assertEquals(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assertEquals(of("2001:db8::1").hashCode(), of("2001:db8::2").hashCode());
        assertNotEquals(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assertEquals("2001:db8:0:0:0:0:0:0/64", of("2001:db8::1").toString());
    }

    @Test
    void shouldTellHostsOfALinkApart() throws UnknownHostException {
        assertNotEquals(of("fe80::1"), of("fe80::2"));
        byte[] host = InetAddress.getByName("fe80::1").getAddress();
        assertNotEquals(PeerNetwork.of(new InetSocketAddress(Inet6Address.getByAddress(null, host, 1), 7)),
                PeerNetwork.of(new InetSocketAddress(Inet6Address.getByAddress(null, host, 2), 7)));
    }

    @Test
    void shouldTakeAnAddressThatIsNotKnown() {
        assertEquals(PeerNetwork.UNKNOWN, PeerNetwork.of(null));
        assertEquals(PeerNetwork.UNKNOWN, PeerNetwork.of(InetSocketAddress.createUnresolved("nowhere.invalid", 7)));
        assertEquals("an unknown address", PeerNetwork.UNKNOWN.toString());
    }

    private static PeerNetwork of(String host) throws UnknownHostException {
        return PeerNetwork.of(new InetSocketAddress(InetAddress.getByName(host), 7));
    }
}
