package org.panamaverbs.nfs.server.state;

import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/** The states by name, and the check of a name that came from a client (RFC 8881, 8.2.4). {@link Opens} guards it. */
final class States {
    private final SecureRandom random = new SecureRandom();
    private final Map<Key, State> byName = new HashMap<>();
    private int counter;

    private record Key(long high, int low) {
        static Key of(StateId id) {
            return new Key(id.high(), id.low());
        }
    }

    /** A name that no other state has or had. */
    StateId name() {
        return new StateId(1, random.nextLong(), ++counter);
    }

    void add(State state) {
        byName.put(Key.of(state.stateId()), state);
    }

    void remove(State state) {
        byName.remove(Key.of(state.stateId()));
    }

    /** The state of a client. */
    State find(StateId id, Client client) throws Refused {
        State state = byName.get(Key.of(id));
        if (state == null || state.open().client() != client) {
            throw new Refused(Status.BAD_STATEID);
        }
        if (id.sequence() != 0 && id.sequence() != state.sequence()) {
            throw new Refused(id.sequence() - state.sequence() < 0 ? Status.OLD_STATEID : Status.BAD_STATEID);
        }
        return state;
    }

    /** The state of a client and a file, which must be of a kind. */
    <S extends State> S find(StateId id, Client client, Node node, Class<S> kind) throws Refused {
        State state = find(id, client);
        if (state.open().file().node() != node || !kind.isInstance(state)) {
            throw new Refused(Status.BAD_STATEID);
        }
        return kind.cast(state);
    }
}
