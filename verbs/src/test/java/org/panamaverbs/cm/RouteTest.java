package org.panamaverbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RouteTest {
    private static final InetSocketAddress REMOTE = new InetSocketAddress("192.0.2.1", 7);
    private static final InetSocketAddress LOCAL = new InetSocketAddress("192.0.2.2", 0);

    @Test
    void shouldLeaveAllButThePeerToTheSystem() {
        Route usual = Route.to(REMOTE);
        assertEquals(REMOTE, usual.remote());
        assertEquals(Optional.empty(), usual.local());
        assertEquals(Route.USUAL_SERVICE, usual.typeOfService());
        assertEquals("192.0.2.1:7", Route.to(REMOTE).describe());
    }

    @Test
    void shouldChangeOneThingAndKeepTheRest() {
        Route route = Route.to(REMOTE).withTypeOfService(255).from(LOCAL);
        assertEquals(Route.to(REMOTE).from(LOCAL).withTypeOfService(255), route);
        assertEquals(255, route.typeOfService());
        assertEquals("192.0.2.1:7 from 192.0.2.2:0", route.describe());
        assertEquals(0, route.withTypeOfService(0).typeOfService());
        assertEquals(Optional.of(LOCAL), route.withTypeOfService(0).local());
    }

    @Test
    void shouldNameAddressesAsACommandLineTakesThem() throws UnknownHostException {
        InetAddress named = InetAddress.getByAddress("host.invalid", new byte[] { (byte) 192, 0, 2, 1 });
        assertEquals("192.0.2.1:7", Route.text(new InetSocketAddress(named, 7)));
        assertEquals("[2001:db8:0:0:0:0:0:1]:7", Route.text(new InetSocketAddress("2001:db8::1", 7)));
        assertEquals("nowhere.invalid:7", Route.text(InetSocketAddress.createUnresolved("nowhere.invalid", 7)));
        assertEquals("an unknown address", Route.text(null));
    }

    @Test
    void shouldRefuseWhatIsNoByte() {
        assertThrows(IllegalArgumentException.class, () -> Route.to(REMOTE).withTypeOfService(256));
        assertThrows(IllegalArgumentException.class, () -> Route.to(REMOTE).withTypeOfService(-2));
    }

    @Test
    void shouldRefuseAddressesThatLeadNowhere() {
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("nowhere.invalid", 7);
        assertThrows(IllegalArgumentException.class, () -> Route.to(unknown));
        assertThrows(IllegalArgumentException.class, () -> Route.to(REMOTE).from(unknown));
        assertThrows(NullPointerException.class, () -> Route.to(null));
        IllegalArgumentException mixed = assertThrows(IllegalArgumentException.class,
                () -> Route.to(REMOTE).from(new InetSocketAddress("2001:db8::1", 0)));
        assertTrue(mixed.getMessage().contains("different families"), mixed::getMessage);
    }
}
