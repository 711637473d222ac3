package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import org.panamaverbs.Capability;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.SendRequest;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.spi.SendWorkRequest;

/** One end of a connection: its queue pair and the queues it completes in, one for what it sends and one for what it receives. */
final class Endpoint {
    final Side side;
    final QueuePair queuePair;
    final CompletionQueue sendQueue;
    final CompletionQueue receiveQueue;
    final Connection connection;
    /** Takes what the send queue completes. */
    final CompletionReader sent;
    /** Takes what the receive queue completes. */
    final CompletionReader received;
    private Endpoint peer;

    Endpoint(Side side, QueuePair queuePair, Connection connection, boolean spins) {
        this.side = side;
        this.queuePair = queuePair;
        this.connection = connection;
        this.sendQueue = queuePair.attributes().sendQueue();
        this.receiveQueue = queuePair.attributes().receiveQueue();
        this.sent = new CompletionReader(sendQueue, side.arena, spins, () -> "sends of " + this);
        this.received = sendQueue == receiveQueue ? sent
                : new CompletionReader(receiveQueue, side.arena, spins, () -> "receives of " + this).of(true);
        if (sendQueue != receiveQueue) {
            sent.of(false);
        }
    }

    /** Fresh memory, all zero, with every right that the device has, and one more: the peer may invalidate it. */
    MemoryRegion invalidatable(long length) {
        return side.domain.register(side.memory(length), RegistrationAttributes.of(side.rights()).withRemoteInvalidation(queuePair));
    }

    /** Posts a receive, which must find room. */
    void receive(long id, MemoryRegion region, long offset, long length) {
        queuePair.post(new ReceiveRequest().receive(id).local(region, offset, length));
    }

    /** Posts a signalled Send, which must find room. */
    void send(long id, MemoryRegion region, long offset, long length) {
        send(id, region, offset, length, SendWorkRequest.SIGNALED);
    }

    /** Posts a Send, which must find room. */
    void send(long id, MemoryRegion region, long offset, long length, int flags) {
        queuePair.post(Flags.on(new SendRequest().send(id).local(region, offset, length), flags));
    }

    /** Posts a signalled Write to an offset of the peer's region; it must find room. */
    void write(long id, MemoryRegion region, long offset, long length, MemoryRegion remote, long remoteOffset) {
        write(id, region, offset, length, remote, remoteOffset, SendWorkRequest.SIGNALED);
    }

    /** Posts a Write to an offset of the peer's region; it must find room. */
    void write(long id, MemoryRegion region, long offset, long length, MemoryRegion remote, long remoteOffset, int flags) {
        queuePair.post(Flags.on(new SendRequest().write(id).local(region, offset, length).remote(remote.remote(), remoteOffset), flags));
    }

    /** Posts a signalled Read from an offset of the peer's region; it must find room. */
    void read(long id, MemoryRegion region, long offset, long length, MemoryRegion remote, long remoteOffset) {
        read(id, region, offset, length, remote, remoteOffset, SendWorkRequest.SIGNALED);
    }

    /** Posts a Read from an offset of the peer's region; it must find room. */
    void read(long id, MemoryRegion region, long offset, long length, MemoryRegion remote, long remoteOffset, int flags) {
        queuePair.post(Flags.on(new SendRequest().read(id).local(region, offset, length).remote(remote.remote(), remoteOffset), flags));
    }

    /** Sets the end that it is connected with. */
    void meets(Endpoint other) {
        peer = other;
    }

    /** Waits until the connection ended, for whatever reason. */
    void awaitDisconnected() {
        long deadline = System.nanoTime() + ContractTest.LIMIT.toNanos();
        while (!connection.awaitDisconnected(ContractTest.MOMENT) && System.nanoTime() - deadline < 0) {
            look();
        }
        assertFalse(connection.isConnected(), () -> "should be disconnected: " + this);
    }

    /** A device may show a failure in a completion only: programs poll, and so does this. */
    private void look() {
        if (peer != null && !peer.side.device.supports(Capability.PEER_FAILURE)) {
            peer.sent.look();
        }
        if (!side.device.supports(Capability.PEER_FAILURE)) {
            sent.look();
        }
    }

    /** Waits until the connection ended in good order. */
    void awaitOrderlyEnd() {
        awaitDisconnected();
        assertEquals("no failure", connection.failure().map(failure -> "failed: " + failure).orElse("no failure"), this::toString);
    }

    /** Waits until the connection failed, and tells why, if the device can tell. */
    VerbsException awaitFailure() {
        awaitDisconnected();
        // If completions had to be polled, a queue that overran has closed its queue pairs.
        boolean looked = !side.device.supports(Capability.PEER_FAILURE) && queuePair.state() == QueuePairState.CLOSED;
        assertTrue(looked || queuePair.state() == QueuePairState.ERROR, this::toString);
        if (!side.device.supports(Capability.PEER_FAILURE) && connection.failure().isEmpty()) {
            return new PeerException("the device does not tell of failures that the remote end found");
        }
        VerbsException failure = connection.failure().orElseGet(() -> fail("the connection ended, but failure() is empty: " + this));
        assertFalse(failure.getMessage() == null || failure.getMessage().isBlank(), "the failure says nothing");
        return failure;
    }

    /** Sends a message to the peer over buffers of its own, and sees it arrive: the connection works. */
    void exchangeWith(Endpoint peer, long seed) {
        int length = 256;
        MemoryRegion from = side.region(length);
        MemoryRegion to = peer.side.region(length);
        Pattern.fill(from.segment(), 0, length, seed);
        peer.receive(seed, to, 0, length);
        send(~seed, from, 0, length);
        sent.next().succeeded(~seed, CompletionOpcode.SEND);
        peer.received.next().received(seed, length);
        Pattern.verify(to.segment(), 0, length, seed);
        from.close();
        to.close();
    }

    @Override
    public String toString() {
        return side.name + ": " + queuePair.state() + ", " + (connection.isConnected() ? "connected" : "not connected")
                + connection.failure().map(failure -> ", " + failure).orElse("");
    }
}
