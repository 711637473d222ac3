package example.loopback;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The state that all devices of this JVM share: the lock, and the table of listeners.
 *
 * <p>One lock guards everything. A request changes objects of both peers, so with a lock each, two peers that post at once could wait for
 * each other. A provider that is to be fast needs more locks than this one.
 */
final class Fabric {
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final Held HELD = new Held();
    private static final List<LoopbackListener> LISTENERS = new ArrayList<>();
    private static final int FIRST_FREE_PORT = 49_152;
    private static final int LAST_PORT = 65_535;
    private static int lastPort = LAST_PORT;

    private Fabric() {
    }

    /** Takes the lock: {@code try (var _ = Fabric.enter()) { ... }}. A thread may take it again. */
    static Held enter() {
        LOCK.lock();
        return HELD;
    }

    /** Makes a condition of the lock. */
    static Condition newCondition() {
        return LOCK.newCondition();
    }

    /** Finds the listener that takes requests to an address. */
    static Optional<LoopbackListener> listenerAt(InetSocketAddress address) {
        return LISTENERS.stream().filter(listener -> listener.takes(address)).findFirst();
    }

    /** Whether a listener can have an address. */
    static boolean isFree(InetSocketAddress address) {
        return LISTENERS.stream().noneMatch(listener -> listener.takes(address)
                || address.getAddress().isAnyLocalAddress() && listener.address().getPort() == address.getPort());
    }

    /** Picks a port that no listener has. */
    static int freePort() {
        do {
            lastPort = lastPort == LAST_PORT ? FIRST_FREE_PORT : lastPort + 1;
        } while (LISTENERS.stream().anyMatch(listener -> listener.address().getPort() == lastPort));
        return lastPort;
    }

    static void add(LoopbackListener listener) {
        LISTENERS.add(listener);
    }

    static void remove(LoopbackListener listener) {
        LISTENERS.remove(listener);
    }

    /** Whether an address is one of this machine: there is no other way out of this JVM. */
    static boolean isLocal(InetSocketAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address.getAddress()) != null;
        } catch (SocketException e) {
            return address.getAddress().isLoopbackAddress();
        }
    }

    /** The lock, held until it is closed. */
    static final class Held implements AutoCloseable {
        @Override
        public void close() {
            LOCK.unlock();
        }
    }
}
