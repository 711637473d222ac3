package org.panamaverbs.nfs.server.state;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.SessionId;
import org.panamaverbs.nfs.xdr.Status;

/**
 * The clients and their sessions. A client that was silent for its lease is gone with all that it has, and so is one that came back with
 * another verifier. Time comes in by a clock, so that tests turn it.
 */
public final class Clients {
    private final Limits limits;
    private final LongSupplier clock;
    private final Consumer<Client> farewell;
    private final Predicate<Client> busy;
    private final SecureRandom random = new SecureRandom();
    private final Map<Long, Client> byId = new HashMap<>();
    private final Map<OwnerName, Client> confirmed = new HashMap<>();
    private final Map<OwnerName, Client> unconfirmed = new HashMap<>();
    private final Map<SessionId, Session> sessions = new HashMap<>();

    /**
     * The answer of EXCHANGE_ID.
     *
     * @param client    the client's number
     * @param sequence  of its next CREATE_SESSION
     * @param confirmed whether the client was confirmed before
     */
    public record Exchanged(long client, int sequence, boolean confirmed) {
    }

    /** Encodes the answer of CREATE_SESSION, which is kept. */
    public interface Answer {
        /** Encodes it. */
        byte[] of(Session session);
    }

    /**
     * Makes a table.
     *
     * @param clock    in nanoseconds, as {@link System#nanoTime}
     * @param farewell is called for each client that is gone
     * @param busy     whether a client has open files
     */
    public Clients(Limits limits, LongSupplier clock, Consumer<Client> farewell, Predicate<Client> busy) {
        this.limits = limits;
        this.clock = clock;
        this.farewell = farewell;
        this.busy = busy;
    }

    /** A client introduces itself (RFC 8881, 18.35.4, cases 1 to 5). */
    public Exchanged exchange(OwnerName owner, long verifier, Caller caller) throws Refused {
        List<Client> gone = new ArrayList<>();
        try {
            return exchange(owner, verifier, caller, gone);
        } finally {
            gone.forEach(farewell);
        }
    }

    private synchronized Exchanged exchange(OwnerName owner, long verifier, Caller caller, List<Client> gone) throws Refused {
        Client client = confirmed.get(owner);
        if (client != null && !client.caller().isSameUserAs(caller)) {
            if (hasState(client) && !isOver(client)) {
                throw new Refused(Status.CLID_INUSE);
            }
            forget(client);
            gone.add(client);
        } else if (client != null && client.verifier() == verifier) {
            client.renew(clock.getAsLong());
            return new Exchanged(client.id(), client.nextSequence(), true);
        }
        makeRoom(caller);
        Client fresh = new Client(random.nextLong(), owner, verifier, caller, clock.getAsLong());
        Client before = unconfirmed.put(owner, fresh);
        if (before != null) {
            byId.remove(before.id());
            before.goes();
        }
        byId.put(fresh.id(), fresh);
        return new Exchanged(fresh.id(), fresh.nextSequence(), false);
    }

    /** A confirmed client changes its statements (cases 6 to 9); nothing of them is kept here. */
    public synchronized Exchanged update(OwnerName owner, long verifier, Caller caller) throws Refused {
        Client client = confirmed.get(owner);
        if (client == null) {
            throw new Refused(Status.NOENT);
        }
        if (client.verifier() != verifier) {
            throw new Refused(Status.NOT_SAME);
        }
        if (!client.caller().isSameUserAs(caller)) {
            throw new Refused(Status.PERM);
        }
        client.renew(clock.getAsLong());
        return new Exchanged(client.id(), client.nextSequence(), true);
    }

    /** A client that only introduces itself must not keep others out: the oldest leaves, of the same peer if that has its share. */
    private void makeRoom(Caller caller) {
        Predicate<Client> same = ofPeer(caller);
        boolean share = unconfirmed.values().stream().filter(same).count() >= limits.introduced().ofPeer();
        if (share || unconfirmed.size() >= limits.introduced().all()) {
            forget(unconfirmed.values().stream().filter(share ? same : any -> true)
                    .min((a, b) -> Long.compare(a.renewed() - b.renewed(), 0)).orElseThrow());
        }
    }

    private static Predicate<Client> ofPeer(Caller caller) {
        return client -> client.caller().isSamePeerAs(caller);
    }

    /** Makes a session, and confirms the client by that. A retry gets the answer of the first time. */
    public byte[] createSession(long client, int sequence, Caller caller, ChannelAttributes channel, Answer answer) throws Refused {
        List<Client> gone = new ArrayList<>();
        try {
            return createSession(client, sequence, caller, channel, answer, gone);
        } finally {
            gone.forEach(farewell);
        }
    }

    private synchronized byte[] createSession(long number, int sequence, Caller caller, ChannelAttributes channel, Answer answer,
            List<Client> gone) throws Refused {
        Client client = byId.get(number);
        if (client == null) {
            throw new Refused(Status.STALE_CLIENTID);
        }
        if (sequence == client.sequence() && client.created() != null) {
            return client.created();
        }
        if (sequence != client.nextSequence()) {
            throw new Refused(Status.SEQ_MISORDERED);
        }
        // RFC 8881, 18.36.4, phase 3: only the first session confirms the client. Later ones give no user more than any session does.
        if (!client.isConfirmed() && !client.caller().isSameUserAs(caller)) {
            throw new Refused(Status.CLID_INUSE);
        }
        if (client.sessions().size() >= limits.sessionsOfClient()) {
            throw new Refused(Status.NOSPC);
        }
        Predicate<Client> same = ofPeer(client.caller());
        limits.sessions().check(sessions.size(), sessions.values().stream().map(Session::client).filter(same).count());
        if (!client.isConfirmed()) {
            Client before = confirmed.get(client.owner());
            if (before == null) {
                limits.clients().check(confirmed.size(), confirmed.values().stream().filter(same).count());
            }
            if (before != null) {
                forget(before);
                gone.add(before);
            }
            unconfirmed.remove(client.owner(), client);
            confirmed.put(client.owner(), client);
            client.confirm();
        }
        Session session = new Session(new SessionId(random.nextLong(), random.nextLong()), client, channel);
        sessions.put(session.id(), session);
        client.sessions().add(session);
        client.renew(clock.getAsLong());
        byte[] reply = answer.of(session);
        client.created(reply);
        return reply;
    }

    /** The session of a call, whose client is thereby alive. */
    public synchronized Session use(SessionId id) throws Refused {
        Session session = find(id);
        session.client().renew(clock.getAsLong());
        return session;
    }

    /** The session of a name. */
    public synchronized Session find(SessionId id) throws Refused {
        Session session = sessions.get(id);
        if (session == null) {
            throw new Refused(Status.BADSESSION);
        }
        return session;
    }

    /** Ends a session. */
    public synchronized void destroySession(SessionId id) throws Refused {
        Session session = find(id);
        sessions.remove(id);
        session.client().sessions().remove(session);
    }

    /** Ends a client. */
    public void destroyClient(long number) throws Refused {
        Client client;
        synchronized (this) {
            client = byId.get(number);
            if (client == null) {
                throw new Refused(Status.STALE_CLIENTID);
            }
            if (hasState(client)) {
                throw new Refused(Status.CLIENTID_BUSY);
            }
            forget(client);
        }
        farewell.accept(client);
    }

    /** Lets clients go whose lease is over. */
    public void expire() {
        List<Client> gone = new ArrayList<>();
        synchronized (this) {
            byId.values().stream().filter(this::isOver).forEach(gone::add);
            gone.forEach(this::forget);
        }
        gone.forEach(farewell);
    }

    private boolean hasState(Client client) {
        return !client.sessions().isEmpty() || busy.test(client);
    }

    private boolean isOver(Client client) {
        return clock.getAsLong() - client.renewed() > limits.lease();
    }

    private void forget(Client client) {
        client.goes();
        byId.remove(client.id());
        confirmed.remove(client.owner(), client);
        unconfirmed.remove(client.owner(), client);
        client.sessions().forEach(session -> sessions.remove(session.id()));
        client.sessions().clear();
    }

    /** How many confirmed clients there are. */
    public synchronized int size() {
        return confirmed.size();
    }
}
