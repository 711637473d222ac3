package org.panamaverbs.nfs.server.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.Status;

/** Limits of the state that clients can make a server keep. */
class ClientsTest {
    private static final ChannelAttributes CHANNEL = new ChannelAttributes(0, 1 << 20, 1 << 20, 8192, 8, 32);
    private static final Caller CALLER = Callers.at("192.0.2.1");
    private static final Limits.Share MANY = new Limits.Share(100, 100);
    private long time;

    private Clients clients(Limits.Share introduced, Limits.Share clients, Limits.Share sessions) {
        return new Clients(new Limits(introduced, clients, sessions, 4, MANY, MANY, Long.MAX_VALUE / 2), () -> time++, gone -> {
            // Nobody waits for it.
        }, client -> false);
    }

    private static Clients.Exchanged introduce(Clients clients, int name, String peer) throws Refused {
        return clients.exchange(new OwnerName(new byte[] { (byte) name }), 1, Callers.at(peer));
    }

    /** Makes sessions of one client until that is refused; returns how many there are. */
    private static int sessions(Clients clients, int name, String peer) throws Refused {
        Clients.Exchanged known = introduce(clients, name, peer);
        int sequence = known.sequence();
        for (int made = 0;; made++) {
            int next = sequence++;
            try {
                clients.createSession(known.client(), next, CALLER, CHANNEL, session -> new byte[1]);
            } catch (Refused e) {
                assertEquals(Status.NOSPC, e.status());
                return made;
            }
        }
    }

    @Test
    void shouldLimitTheSessionsOfAClientAPeerAndAll() throws Refused {
        Clients clients = clients(MANY, MANY, new Limits.Share(9, 6));
        assertEquals(4, sessions(clients, 1, "192.0.2.1"));
        assertEquals(2, sessions(clients, 2, "192.0.2.1"));
        assertEquals(0, sessions(clients, 3, "192.0.2.1"));
        assertEquals(3, sessions(clients, 4, "192.0.2.2"));
        assertEquals(0, sessions(clients, 5, "192.0.2.3"));
    }

    @Test
    void shouldLimitTheClientsOfAPeerAndAll() throws Refused {
        Clients clients = clients(MANY, new Limits.Share(3, 2), MANY);
        assertEquals(4, sessions(clients, 1, "192.0.2.1"));
        assertEquals(4, sessions(clients, 2, "192.0.2.1"));
        assertEquals(0, sessions(clients, 3, "192.0.2.1"));
        assertEquals(4, sessions(clients, 4, "192.0.2.2"));
        assertEquals(0, sessions(clients, 5, "192.0.2.2"));
        assertEquals(3, clients.size());
    }

    /** A peer that introduces clients without end drives out its own. */
    @Test
    void shouldKeepTheClientsThatOthersIntroduced() throws Refused {
        Clients clients = clients(new Limits.Share(4, 3), MANY, MANY);
        Clients.Exchanged bystander = introduce(clients, 100, "192.0.2.2");
        Clients.Exchanged first = introduce(clients, 0, "192.0.2.1");
        for (int i = 1; i < 50; i++) {
            introduce(clients, i, "192.0.2.1");
        }
        clients.createSession(bystander.client(), bystander.sequence(), CALLER, CHANNEL, session -> new byte[1]);
        assertEquals(Status.STALE_CLIENTID, assertThrows(Refused.class,
                () -> clients.createSession(first.client(), first.sequence(), CALLER, CHANNEL, session -> new byte[1])).status());
    }

    @Test
    void shouldRefuseASessionOfAStranger() {
        Clients clients = clients(MANY, MANY, MANY);
        assertEquals(Status.STALE_CLIENTID,
                assertThrows(Refused.class, () -> clients.createSession(4711, 1, CALLER, CHANNEL, session -> new byte[1])).status());
    }
}
