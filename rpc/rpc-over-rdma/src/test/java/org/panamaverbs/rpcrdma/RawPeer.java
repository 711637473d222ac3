package org.panamaverbs.rpcrdma;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;

/** A client of plain verbs, that sends any bytes and opens any memory. */
final class RawPeer implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int INLINE = 4096;
    private static final int RECEIVES = 16;
    private final RegistrableArena arena = RegistrableArena.ofShared();
    private final Connector connector;
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final MemoryRegion messages;
    private final MemoryRegion open;
    private final QueuePair pair;
    final Connection connection;

    RawPeer(Verbs verbs, InetSocketAddress service, byte[] privateData, int openBytes) {
        connector = ConnectionManager.of(verbs).connector(service, TIMEOUT);
        domain = connector.device().allocateProtectionDomain();
        queue = connector.device().createCompletionQueue(64);
        messages = domain.register(arena.allocate((RECEIVES + 1) * INLINE, 4096), Access.LOCAL_WRITE);
        open = domain.register(arena.allocate(openBytes, 4096), Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);
        pair = connector.createQueuePair(domain, QueuePairAttributes.of(queue).withDepths(RECEIVES, RECEIVES));
        for (int i = 0; i < RECEIVES; i++) {
            pair.post(new ReceiveRequest().receive(i).local(messages, (long) (i + 1) * INLINE, INLINE));
        }
        connection = connector.connect(ConnectionParameters.defaults().withPrivateData(privateData), TIMEOUT);
    }

    int handle() {
        return open.remoteKey();
    }

    long offset() {
        return open.address();
    }

    void send(byte[] message) {
        MemorySegment.copy(MemorySegment.ofArray(message), 0, messages.segment(), 0, message.length);
        pair.post(new SendRequest().send(0).local(messages, 0, message.length).signaled());
    }

    /** The next message of the service. */
    byte[] receive() {
        Completions done = Completions.allocate(1);
        do {
            if (queue.await(done, TIMEOUT) == 0) {
                throw new AssertionError("the service does not answer");
            }
            done.next();
            if (!done.isSuccess()) {
                throw new AssertionError("the connection has ended: " + done.status());
            }
        } while (!done.isReceive());
        return messages.segment().asSlice((done.id() + 1) * INLINE, done.byteLength()).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void close() {
        connection.close();
        connector.close();
        domain.close();
        queue.close();
        arena.close();
    }
}
