package org.panamaverbs.sockets;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;

/** Peers that begin a stream as they should, and then break its protocol. */
public final class Forgeries {
    /** Messages that cannot be; besides them there are two Writes: to a key that does not exist, and beyond the memory of a key. */
    private static final int[] FORGED = { 0x00000000, 0x00010000, 0x1FFFFFFF, 0x80000000, 0x8000FFFF, 0x9FFFFFFF, 0xC0000000, 0x20000000,
            0xE0000007 };
    /** How many ways there are. */
    public static final int KINDS = FORGED.length + 2;

    private static final Duration SOON = Duration.ofSeconds(60);

    private Forgeries() {
    }

    /**
     * Attacks a server, each time over a new connection, which the server ends.
     *
     * @param ends    set when it is enough; each way has its turn before
     * @param attacks counts them
     */
    public static void attack(Verbs verbs, RegistrableArena arena, InetSocketAddress server, AtomicBoolean ends, AtomicInteger attacks) {
        try (ProtectionDomain domain = verbs.device().allocateProtectionDomain();
                MemoryRegion region = domain.register(arena.allocate(4096, 8), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
                CompletionQueue queue = verbs.device().createCompletionQueue(256)) {
            byte[] data = { 1, 0, 0, 48, 0, 0, 0, 0 };
            ByteBuffer whole = ByteBuffer.allocate(40).put(data).putLong(region.address()).putInt(region.remoteKey()).putInt(2)
                    .putLong(region.address() + 1024).putInt(region.remoteKey()).putInt(3072);
            while (!ends.get() || attacks.get() < KINDS) {
                int number = attacks.getAndIncrement() % KINDS;
                try (Connector connector = ConnectionManager.of(verbs.device()).connector(server, SOON)) {
                    QueuePair pair = connector.createQueuePair(domain, QueuePairAttributes.of(queue).withDepths(64, 64));
                    for (int i = 0; i < 64; i++) {
                        pair.post(new ReceiveRequest().receive(i).local(region, 0, 64));
                    }
                    Connection connection = connector
                            .connect(ConnectionParameters.defaults().withPrivateData(whole.array()).withReads(1, 1), SOON);
                    ByteBuffer its = ByteBuffer.wrap(connection.privateData());
                    forge(pair, region, number, its.getLong(24), its.getInt(32), its.getInt(36));
                    connection.awaitDisconnected(SOON);
                    connection.close();
                } catch (VerbsException e) {
                    throw new AssertionError("attack " + number, e);
                }
            }
        }
    }

    private static void forge(QueuePair pair, MemoryRegion region, int number, long address, int key, int length) {
        if (number < FORGED.length) {
            region.segment().set(ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN), 0, FORGED[number]);
            pair.post(new SendRequest().send(1).local(region, 0, 4));
        } else {
            boolean beyond = number > FORGED.length;
            pair.post(new SendRequest().write(1).local(region, 0, 64).remote(address + (beyond ? length : 0), beyond ? key : key + 1));
        }
    }
}
