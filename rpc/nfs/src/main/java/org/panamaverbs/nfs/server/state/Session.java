package org.panamaverbs.nfs.server.state;

import java.util.stream.Stream;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.SessionId;
import org.panamaverbs.nfs.xdr.Status;

/** A session of a client (RFC 8881, 2.10). */
public final class Session {
    private final SessionId id;
    private final Client client;
    private final ChannelAttributes channel;
    private final Slot[] slots;

    Session(SessionId id, Client client, ChannelAttributes channel) {
        this.id = id;
        this.client = client;
        this.channel = channel;
        slots = Stream.generate(Slot::new).limit(channel.maxRequests()).toArray(Slot[]::new);
    }

    /** The session's name. */
    public SessionId id() {
        return id;
    }

    /** Its client. */
    public Client client() {
        return client;
    }

    /** The limits of the fore channel. */
    public ChannelAttributes channel() {
        return channel;
    }

    /** How many slots there are. */
    public int slots() {
        return slots.length;
    }

    /** A slot by its number, which came from the client. */
    public Slot slot(int number) throws Refused {
        if (number < 0 || number >= slots.length) {
            throw new Refused(Status.BADSLOT);
        }
        return slots[number];
    }
}
