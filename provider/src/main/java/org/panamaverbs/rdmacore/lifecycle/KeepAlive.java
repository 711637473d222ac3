package org.panamaverbs.rdmacore.lifecycle;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.panamaverbs.Setting;

/**
 * The connections of a device that are probed while they are idle: a peer that is gone without a word answers no Write, not even of 0 bytes,
 * and the device then ends the connection. A program has its full depths all the same: each send queue has room for one request more, and
 * each completion queue for half as many completions more, as a queue pair needs two at least.
 *
 * <p>Queue pairs that are connected by address are not probed: a peer that lets nobody write refuses also a Write of 0 bytes (rxe does), and
 * both ends fail by that. rdma_cm always lets the peer write.
 */
// Tested by KeepAliveFaultsTest.
public final class KeepAlive {
    /** Its setting. */
    public static final Setting<Integer> SETTING = Setting.integer("panamaverbs.rdmacore.keepalive", 0, 0, 3_600_000,
            "Milliseconds after which a connection of the connection manager that is idle asks whether its peer is there, by a Write of "
                    + "0 bytes, which counts as a request. A peer that does not answer within the retries of the device is lost; on iWARP, TCP "
                    + "of the card or the kernel decides how long that takes. 0: never");

    /** A send queue. */
    public interface Probed {
        /** Asks the peer for a sign of life, if nothing was posted since the last call, and nothing is under way. */
        void probe();
    }

    private final boolean isOn;
    private final Set<Probed> connected = ConcurrentHashMap.newKeySet();

    /** @param isOn whether there are probes */
    public KeepAlive(boolean isOn) {
        this.isOn = isOn;
    }

    public boolean isOn() {
        return isOn;
    }

    /** The queue pair of a send queue is connected. */
    public void add(Probed sends) {
        if (isOn) {
            connected.add(sends);
        }
    }

    /** The queue pair is destroyed. */
    public void remove(Probed sends) {
        connected.remove(sends);
    }

    /** Probes those that were idle since the last call. */
    public void probe() {
        connected.forEach(Probed::probe);
    }

    /** The depth of a send queue on the device, at most {@code most}. */
    public int sendDepth(int depth, int most) {
        return isOn ? Math.max(depth, Math.min(depth + 1, most)) : depth;
    }

    /** The entries of a completion queue on the device, at most {@code most}. */
    public int entries(int entries, int most) {
        return isOn ? (int) Math.max(entries, Math.min(entries + (entries + 1L) / 2, most)) : entries;
    }

    /** How many of the entries that a completion queue has on the device are the program's, at least as many as it asked for. */
    public int entriesOfProgram(int entries, int asked) {
        return isOn ? Math.max(asked, entries - entries / 3) : entries;
    }
}
