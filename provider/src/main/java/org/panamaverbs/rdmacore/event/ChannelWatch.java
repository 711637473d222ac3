package org.panamaverbs.rdmacore.event;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.panamaverbs.rdmacore.ffi.EpollSet;

/** The channels for which virtual threads wait, as the event reader watches them. Each is watched until an event comes. */
final class ChannelWatch implements AutoCloseable {
    private final EpollSet set = new EpollSet();
    private final ConcurrentMap<Integer, EventChannel> channels = new ConcurrentHashMap<>();

    /** Readable while one of the channels is. */
    int descriptor() {
        return set.number();
    }

    void add(EventChannel channel) {
        channels.put(channel.descriptor(), channel);
        set.addOnce(channel.descriptor());
    }

    /** Before its descriptor is closed. */
    void remove(EventChannel channel) {
        channels.remove(channel.descriptor(), channel);
    }

    /** Reads an event of each channel that has one. */
    void read() {
        int count = set.take();
        for (int i = 0; i < count; i++) {
            EventChannel channel = channels.get(set.taken(i));
            if (channel != null) {
                channel.read();
            }
        }
    }

    @Override
    public void close() {
        set.close();
    }
}
