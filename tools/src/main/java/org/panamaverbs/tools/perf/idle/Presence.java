package org.panamaverbs.tools.perf.idle;

import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The hosts that measure at present. Idle connections say nothing by nature, so that a listener cannot tell one whose peer has vanished
 * behind a cut link. But they stand beside busy ones of the same host: if a host has had none for some time, its idle connections are of no
 * use.
 */
public final class Presence {
    private final long graceNanos;
    private final Map<InetAddress, Host> hosts = new HashMap<>();

    private static final class Host {
        int busy;
        long last;
    }

    /** @param grace how long a host may have no busy connection */
    public Presence(Duration grace) {
        graceNanos = grace.toNanos();
    }

    /** A busy connection begins. */
    public synchronized void begin(InetAddress host) {
        seen(host).busy++;
    }

    /** A busy connection has ended. */
    public synchronized void end(InetAddress host) {
        seen(host).busy--;
    }

    /** A host has connected, as at present. */
    public synchronized void connected(InetAddress host) {
        seen(host);
    }

    private Host seen(InetAddress address) {
        Host host = hosts.computeIfAbsent(address, ignored -> new Host());
        host.last = System.nanoTime();
        return host;
    }

    /** Whether a host has not measured for longer than it may. */
    public synchronized boolean isGone(InetAddress address) {
        Host host = hosts.get(address);
        return host == null || host.busy == 0 && System.nanoTime() - host.last > graceNanos;
    }

    /** Forgets the hosts that are gone. */
    public synchronized void forget() {
        hosts.keySet().removeIf(this::isGone);
    }
}
