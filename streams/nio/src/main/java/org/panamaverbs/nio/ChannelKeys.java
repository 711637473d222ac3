package org.panamaverbs.nio;

import java.nio.channels.SelectableChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.sockets.SocketLoop;

/** The keys of a channel: one of each selector that has it. Any thread calls. */
final class ChannelKeys {
    private final List<VerbsSelectionKey> keys = new CopyOnWriteArrayList<>();

    void add(VerbsSelectionKey key) {
        keys.add(key);
    }

    void remove(VerbsSelectionKey key) {
        keys.remove(key);
    }

    void forEach(Consumer<VerbsSelectionKey> action) {
        keys.forEach(action);
    }

    /** The channel has changed, by the program or by a thread of no loop. */
    void changed() {
        changed(null);
    }

    /** @param by the loop whose thread calls; {@code null} if it is another thread */
    void changed(@Nullable SocketLoop by) {
        for (VerbsSelectionKey key : keys) {
            key.changed(by);
        }
    }

    /** A channel of the JDK carries the channel from now on. */
    void carryBy(SelectableChannel carrier) {
        for (VerbsSelectionKey key : keys) {
            key.carryBy(carrier);
        }
    }
}
