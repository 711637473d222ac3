package org.panamaverbs.rdmacore.event;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The objects that asynchronous events name, by native addresses: queues, queue pairs, and the devices of all sessions. One table for the
 * process: librdmacm opens each device once, so that the asynchronous events of all sessions come out of one descriptor, and a
 * session's thread that takes an event of any session must find the object. {@code DeviceClaim} sees to it that no other class loader has a
 * second table in use.
 */
public final class LiveObjects {
    private static final ConcurrentMap<Long, EventSource> BY_ADDRESS = new ConcurrentHashMap<>();
    private static final List<WatchedDevice> DEVICES = new CopyOnWriteArrayList<>();

    private LiveObjects() {
    }

    public static void add(MemorySegment address, EventSource object) {
        BY_ADDRESS.put(address.address(), object);
    }

    /** The address may have been given to another object meanwhile, which stays. */
    public static void remove(MemorySegment address, EventSource object) {
        BY_ADDRESS.remove(address.address(), object);
    }

    /** The object at an address, or {@code null}. */
    static EventSource find(long address) {
        return BY_ADDRESS.get(address);
    }

    public static void add(WatchedDevice device) {
        DEVICES.add(device);
    }

    public static void remove(WatchedDevice device) {
        DEVICES.remove(device);
    }

    /** The device at an address, as each session has it. */
    static List<WatchedDevice> devices(long context) {
        return DEVICES.stream().filter(device -> device.context().address() == context).toList();
    }
}
