package org.panamaverbs.nfs.server.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.Status;

/** Limits of the state that clients can make a server keep. */
class ClientsTest {
    private static final ChannelAttributes CHANNEL = new ChannelAttributes(0, 1 << 20, 1 << 20, 8192, 8, 32);
    private final Clients clients = new Clients(new Clients.Limits(8, 4, Long.MAX_VALUE / 2), () -> 0, gone -> {
        // Nobody waits for it.
    });

    /** Makes sessions of one client until that is refused; returns how many there are. */
    private int sessions(int name) throws Refused {
        Clients.Exchanged known = clients.exchange(new OwnerName(new byte[] { (byte) name }), 1);
        int sequence = known.sequence();
        for (int made = 0;; made++) {
            int next = sequence++;
            try {
                clients.createSession(known.client(), next, CHANNEL, session -> new byte[1]);
            } catch (Refused e) {
                assertEquals(Status.NOSPC, e.status());
                return made;
            }
        }
    }

    @Test
    void shouldLimitTheSessionsOfAClient() throws Refused {
        assertEquals(4, sessions(1));
    }

    @Test
    void shouldLimitTheSessionsOfAllClients() throws Refused {
        assertEquals(4, sessions(1));
        assertEquals(4, sessions(2));
        assertEquals(0, sessions(3));
    }

    @Test
    void shouldRefuseASessionOfAStranger() {
        assertEquals(Status.STALE_CLIENTID,
                assertThrows(Refused.class, () -> clients.createSession(4711, 1, CHANNEL, session -> new byte[1])).status());
    }
}
