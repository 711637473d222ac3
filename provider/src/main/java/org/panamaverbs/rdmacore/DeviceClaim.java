package org.panamaverbs.rdmacore;

import org.panamaverbs.NoProviderException;

/**
 * Lets one copy of this library in a process use the devices at a time. Several class loaders may have a copy each. But librdmacm is there
 * once, opens each device once, and each device has one descriptor of asynchronous events: the thread of one copy would take the events of
 * the other, whose objects it does not know. A copy has the claim while one of its sessions is open.
 */
final class DeviceClaim {
    static final String REFUSAL = "another copy of panama-verbs, of another class loader, uses the RDMA devices: close its sessions, or load "
            + "panama-verbs by a class loader that both have in common";
    /** System properties are the one table that all class loaders share. */
    private static final String PROPERTY = "org.panamaverbs.rdmacore.claim";
    private static final String OURS = DeviceClaim.class.getClassLoader() + " " + Long.toHexString(System.nanoTime());
    private static int sessions;

    private DeviceClaim() {
    }

    /** Whether another copy has it. */
    static boolean isElsewhere() {
        String holder = System.getProperty(PROPERTY);
        return holder != null && !holder.equals(OURS);
    }

    /** A session opens. */
    static synchronized void take() {
        if (sessions == 0 && System.getProperties().putIfAbsent(PROPERTY, OURS) != null) {
            throw new NoProviderException("provider " + RdmaCoreProvider.NAME + " is not available: " + REFUSAL);
        }
        sessions++;
    }

    /** A session is closed. */
    static synchronized void release() {
        if (--sessions == 0) {
            System.getProperties().remove(PROPERTY, OURS);
        }
    }
}
