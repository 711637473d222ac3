package org.panamaverbs.softiwarp.transport.shared;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.SharedMemoryCalls;
import org.panamaverbs.softiwarp.transport.Failures;

/**
 * The first bytes of a connection's socket, from the connecting side, and with them the descriptor of the memory: 8 bytes of magic with a
 * version, and the capacity of each ring as an int, in the byte order of the machine.
 */
final class Greeting {
    private static final long MAGIC = 0x3152_5650_676e_6952L;
    private static final int SIZE = 12;

    private Greeting() {
    }

    /**
     * The outcome of receiving.
     *
     * @param rings     the peer's memory, mapped; {@code null} if nothing has come yet
     * @param objection why the peer is refused, or {@code null}
     */
    record Received(RingMemory rings, String objection) {
    }

    static void send(String action, int socket, int file, int capacity) {
        byte[] bytes = new byte[SIZE];
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putLong(MAGIC).putInt(capacity);
        int sent = SharedMemoryCalls.send(socket, bytes, file);
        if (sent != SIZE) {
            throw Failures.of(action, "sendmsg", sent < 0 ? -sent : Errno.EAGAIN);
        }
    }

    /** Receives the greeting of a peer. It came whole: so little fits into every socket at once. */
    static Received receive(int socket) {
        byte[] bytes = new byte[SIZE];
        SharedMemoryCalls.Received received = SharedMemoryCalls.receive(socket, bytes);
        try {
            if (received.count() == -Errno.EAGAIN || received.count() == -Errno.EINTR) {
                return new Received(null, null);
            }
            return judge(bytes, received);
        } finally {
            if (received.descriptor() >= 0) {
                Libc.close(received.descriptor());
            }
        }
    }

    private static Received judge(byte[] bytes, SharedMemoryCalls.Received received) {
        if (received.count() <= 0) {
            return new Received(null, "it left before its greeting");
        }
        ByteBuffer greeting = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        if (received.count() != SIZE || greeting.getLong() != MAGIC) {
            return new Received(null, "its greeting is not that of this protocol");
        }
        if (received.descriptor() < 0) {
            return new Received(null, "its greeting has no memory, or more than one");
        }
        int capacity = greeting.getInt();
        String objection = RingMemory.objection(received.descriptor(), capacity);
        if (objection != null) {
            return new Received(null, objection);
        }
        try {
            return new Received(RingMemory.map("map the peer's memory", received.descriptor(), capacity), null);
        } catch (VerbsException e) {
            return new Received(null, e.getMessage());
        }
    }
}
