package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Completion queues and queue pairs by their native addresses, for events, which name those. One table for the process: librdmacm opens
 * each device once, so that the asynchronous events of all sessions come out of one descriptor, and whichever session's thread takes an
 * event must find the object.
 */
final class LiveObjects {
    private static final ConcurrentMap<Long, Object> BY_ADDRESS = new ConcurrentHashMap<>();

    private LiveObjects() {
    }

    static void add(MemorySegment address, Object object) {
        BY_ADDRESS.put(address.address(), object);
    }

    /** The address may have been given to another object meanwhile, which stays. */
    static void remove(MemorySegment address, Object object) {
        BY_ADDRESS.remove(address.address(), object);
    }

    static CoreCompletionQueue completionQueue(long address) {
        return BY_ADDRESS.get(address) instanceof CoreCompletionQueue found ? found : null;
    }

    static CoreQueuePair queuePair(long address) {
        return BY_ADDRESS.get(address) instanceof CoreQueuePair found ? found : null;
    }
}
