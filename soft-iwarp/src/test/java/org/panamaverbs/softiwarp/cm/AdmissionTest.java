package org.panamaverbs.softiwarp.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which peers get a place, and which give way. */
class AdmissionTest {
    private final List<String> gaveWay = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();

    private static InetSocketAddress address(String host) throws Exception {
        return new InetSocketAddress(InetAddress.getByName(host), 1);
    }

    private Admission.Place admit(Admission admission, String host) throws Exception {
        return admission.admit(address(host), refused::add);
    }

    /** A peer whose Request is not whole; it leaves if it must give way, as a {@link PassiveOpen} does. */
    private Admission.Place silent(Admission admission, String host, String name) throws Exception {
        Admission.Place place = admit(admission, host);
        place.onBegin(reason -> {
            gaveWay.add(name + ": " + reason);
            place.leave();
        });
        return place;
    }

    private Admission.Place waiting(Admission admission, String host) throws Exception {
        Admission.Place place = silent(admission, host, host);
        place.onRequest();
        return place;
    }

    @Test
    void shouldHaveTheOldestSilentPeerGiveWay() throws Exception {
        Admission admission = new Admission(new AdmissionLimits(3, 3, 0, 0));
        waiting(admission, "10.0.0.1");
        silent(admission, "10.0.0.2", "first");
        silent(admission, "10.0.0.3", "second");
        silent(admission, "10.0.0.4", "third");
        assertEquals(List.of("first: the limit of 3 start-ups is reached"), gaveWay);
        assertEquals(List.of(), refused);
        assertEquals(3, admission.size());
    }

    @Test
    void shouldRefuseAPeerIfNobodyIsSilent() throws Exception {
        Admission admission = new Admission(new AdmissionLimits(2, 2, 0, 0));
        waiting(admission, "10.0.0.1");
        Admission.Place second = waiting(admission, "10.0.0.2");
        assertNull(admit(admission, "10.0.0.3"));
        assertEquals(List.of("the limit of 2 start-ups is reached"), refused);
        second.onEstablished();
        assertNotNull(admit(admission, "10.0.0.3"));
    }

    /** One address has a share: its own silent peers give way, and those of others stay. */
    @Test
    void shouldKeepOnePeerToItsShare() throws Exception {
        Admission admission = new Admission(new AdmissionLimits(100, 2, 0, 0));
        silent(admission, "10.0.0.1", "bystander");
        silent(admission, "10.0.0.2", "first");
        silent(admission, "10.0.0.2", "second");
        silent(admission, "10.0.0.2", "third");
        assertEquals(List.of("first: the limit of 2 start-ups of one peer is reached"), gaveWay);
        assertEquals(3, admission.size());
    }

    @Test
    void shouldTakeANetworkOf64BitsForOnePeer() throws Exception {
        Admission admission = new Admission(new AdmissionLimits(100, 1, 0, 0));
        waiting(admission, "2001:db8::1");
        assertNull(admit(admission, "2001:db8::2:0:0:1"));
        assertNotNull(admit(admission, "2001:db8:0:1::1"));
    }

    /** All hosts of all links share the first 64 bits of their link-local addresses; two links may have the same address. */
    @Test
    void shouldTellLinkLocalPeersApart() throws Exception {
        Admission admission = new Admission(new AdmissionLimits(100, 1, 0, 0));
        byte[] host = InetAddress.getByName("fe80::1").getAddress();
        for (int link : new int[] { 1, 2 }) {
            InetSocketAddress peer = new InetSocketAddress(Inet6Address.getByAddress(null, host, link), 1);
            assertNotNull(admission.admit(peer, refused::add));
            assertNull(admission.admit(peer, refused::add));
        }
        assertNotNull(admit(admission, "fe80::2"));
    }

    @Test
    void shouldLimitConnections() throws Exception {
        Admission admission = new Admission(new AdmissionLimits(100, 100, 3, 2));
        Admission.Place first = waiting(admission, "10.0.0.1");
        first.onEstablished();
        waiting(admission, "10.0.0.1").onEstablished();
        assertNull(admit(admission, "10.0.0.1"));
        waiting(admission, "10.0.0.2").onEstablished();
        assertNull(admit(admission, "10.0.0.3"));
        assertEquals(List.of("the limit of 2 connections of one peer is reached", "the limit of 3 connections is reached"), refused);
        first.leave();
        first.leave();
        assertEquals(2, admission.size());
        assertNotNull(admit(admission, "10.0.0.1"));
    }

    /** A peer that is refused anyway takes no other peer's place. */
    @Test
    void shouldNotDisplaceAnotherPeerForOneThatHasAllItsConnections() throws Exception {
        Admission admission = new Admission(new AdmissionLimits(1, 1, 0, 1));
        waiting(admission, "10.0.0.1").onEstablished();
        silent(admission, "10.0.0.2", "bystander");
        assertNull(admit(admission, "10.0.0.1"));
        assertEquals(List.of("the limit of 1 connections of one peer is reached"), refused);
        assertEquals(List.of(), gaveWay);
        assertEquals(2, admission.size());
    }

    /** One place is enough if several limits are reached. */
    @Test
    void shouldHaveOnePeerGiveWay() throws Exception {
        Admission admission = new Admission(new AdmissionLimits(2, 1, 2, 1));
        silent(admission, "10.0.0.1", "bystander");
        silent(admission, "10.0.0.2", "own");
        silent(admission, "10.0.0.2", "new");
        assertEquals(List.of("own: the limit of 1 start-ups of one peer is reached"), gaveWay);
        assertEquals(2, admission.size());
        assertEquals(List.of(), refused);
    }

    /** Without a limit of connections, they are not counted: nothing of them stays here. */
    @Test
    void shouldForgetConnectionsThatItDoesNotLimit() throws Exception {
        Admission admission = new Admission(AdmissionLimits.USUAL);
        Admission.Place place = waiting(admission, "10.0.0.1");
        place.onEstablished();
        assertEquals(0, admission.size());
        place.leave();
        assertEquals(0, admission.size());
    }

    @Test
    void shouldCountRightWhateverHappens() throws Exception {
        Random random = new Random(1);
        AdmissionLimits limits = new AdmissionLimits(8, 4, 12, 6);
        Admission admission = new Admission(limits);
        List<Admission.Place> places = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            Admission.Place place = places.isEmpty() ? null : places.get(random.nextInt(places.size()));
            switch (random.nextInt(place == null ? 1 : 4)) {
                case 0 -> {
                    Admission.Place fresh = admit(admission, "10.0.0." + random.nextInt(5));
                    if (fresh != null) {
                        places.add(fresh);
                        fresh.onBegin(reason -> {
                            fresh.leave();
                            places.remove(fresh);
                        });
                    }
                }
                case 1 -> place.onRequest();
                case 2 -> place.onEstablished();
                default -> {
                    place.leave();
                    places.remove(place);
                }
            }
            assertEquals(places.size(), admission.size(), "step " + i);
        }
        List.copyOf(places).forEach(Admission.Place::leave);
        assertEquals(0, admission.size());
        for (int i = 0; i < limits.startUpsOfPeer(); i++) {
            waiting(admission, "10.0.0.1");
        }
        for (int i = 0; i < limits.startUpsOfPeer(); i++) {
            waiting(admission, "10.0.0.2");
        }
        assertNull(admit(admission, "10.0.0.3"));
    }
}
