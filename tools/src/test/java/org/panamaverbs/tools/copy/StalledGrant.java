package org.panamaverbs.tools.copy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.Access;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.tools.shared.Dialogue;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Resources;

/** A server that lends the first window of a file of two, and then does nothing; or refuses with words of its own. */
final class StalledGrant implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
    private final Listener listener = ConnectionManager.of(verbs.device()).listen(new InetSocketAddress("127.0.0.1", 0), 1);
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final CountDownLatch end = new CountDownLatch(1);

    private final String refusal;

    StalledGrant() {
        this(null);
    }

    StalledGrant(String refusal) {
        this.refusal = refusal;
        Thread.ofPlatform().daemon().start(this::serve);
    }

    private void serve() {
        try (ConnectionRequest request = listener.awaitRequest(PATIENCE); Resources resources = new Resources(verbs.device(), 16)) {
            Dialogue dialogue = new Dialogue(resources, Message.LENGTH, PATIENCE);
            QueuePair pair = request.createQueuePair(resources.domain(),
                    QueuePairAttributes.of(resources.queue()).withDepths(4, Dialogue.RECEIVES));
            dialogue.prepare(pair);
            MemoryRegion region = resources.domain().register(resources.arena().allocate(Message.WINDOW), Access.REMOTE_READ);
            try (Connection connection = request.accept(ConnectionParameters.defaults(), PATIENCE)) {
                dialogue.connected(connection);
                CopyServer.receive(dialogue);
                if (refusal != null) {
                    CopyServer.send(dialogue, Message.refused(refusal));
                    connection.awaitDisconnected(PATIENCE);
                    return;
                }
                CopyServer.send(dialogue, Message.grant(region.remoteKey(), 2 * Message.WINDOW, region.address()));
                CopyServer.receive(dialogue);
                done.complete(null);
                end.await();
            }
        } catch (RuntimeException | InterruptedException e) {
            done.completeExceptionally(e);
        }
    }

    String address() {
        return HostPort.text(listener.address());
    }

    /** Waits until the client has the first window. */
    void awaitDone() throws Exception {
        done.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        end.countDown();
        listener.close();
        verbs.close();
    }
}
