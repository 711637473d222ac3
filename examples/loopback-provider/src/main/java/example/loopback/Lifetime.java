package example.loopback;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.panamaverbs.ClosedException;

/** The lifetime of an object: it ends once, after the lifetimes of all that depends on it. */
final class Lifetime {
    private final String name;
    private final Runnable ending;
    private final List<Lifetime> owners = new ArrayList<>();
    private final Set<Lifetime> dependents = new LinkedHashSet<>();
    private boolean closed;

    /**
     * Begins one.
     *
     * @param name   of the object, for messages
     * @param ending runs once, with the lock held, when all that depends on the object is closed
     * @param owners the objects that it depends on
     * @throws ClosedException if an owner is closed
     */
    Lifetime(String name, Runnable ending, Lifetime... owners) {
        this.name = name;
        this.ending = ending;
        try (var _ = Fabric.enter()) {
            for (Lifetime owner : owners) {
                owner.check();
            }
            for (Lifetime owner : owners) {
                dependOn(owner);
            }
        }
    }

    /** Ends with one more owner. */
    void dependOn(Lifetime owner) {
        owners.add(owner);
        owner.dependents.add(this);
    }

    boolean isClosed() {
        return closed;
    }

    /** Refuses what needs the object open. */
    void check() {
        if (closed) {
            throw new ClosedException(name + " is closed");
        }
    }

    void close() {
        try (var _ = Fabric.enter()) {
            if (closed) {
                return;
            }
            closed = true;
            List.copyOf(dependents).reversed().forEach(Lifetime::close);
            owners.forEach(owner -> owner.dependents.remove(this));
            ending.run();
        }
    }
}
