package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
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
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.sockets.protocol.Message;
import org.panamaverbs.sockets.protocol.PrivateData;
import org.panamaverbs.sockets.protocol.StreamProtocolException;
import org.panamaverbs.sockets.protocol.Target;

/**
 * Peers of an echo server that write nothing and announce bytes all the same, after other peers have sent and received a text. What the
 * server reads then, and sends back, has to be zeros. {@code -Dclaims.tries=1000} is the long form.
 */
public final class EmptyClaims {
    /** The sizes of targets, in bytes: the rest of the first block, and each block that a peer can bring about with the usual options. */
    private static final int[] SIZES = { 3 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10 };
    private static final int TRIES = Integer.getInteger("claims.tries", 2);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int ECHO = 2 << 20;
    private static final int PLACES = 64;
    private static final int RECEIVES = 2048;
    private static final int CREDITS = 2000;
    private static final int MEMORY = ECHO + 32 * 1024;
    /** A target that takes so many messages is followed by one of half the size. */
    private static final int MANY = 130;
    private static final int MOST_TARGETS = 30;
    private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[ECHO]);
    private static final byte[] TEXT = "only the peer that sent this may read it; ".getBytes(StandardCharsets.US_ASCII);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Verbs verbs;
    private final InetSocketAddress server;
    private final ProtectionDomain domain;
    private final MemoryRegion region;

    private EmptyClaims(Verbs verbs, InetSocketAddress server, ProtectionDomain domain, MemoryRegion region) {
        this.verbs = verbs;
        this.server = server;
        this.domain = domain;
        this.region = region;
    }

    /** Claims targets of each size from a server that sends back what it reads, and fails at a byte that the peer did not write. */
    public static void check(Verbs verbs, InetSocketAddress server) throws IOException {
        try (RegistrableArena arena = RegistrableArena.ofShared();
                ProtectionDomain domain = verbs.device().allocateProtectionDomain();
                MemoryRegion region = domain.register(arena.allocate(MEMORY, 8), Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
            new EmptyClaims(verbs, server, domain, region).check();
        }
    }

    private void check() throws IOException {
        int foreign = 0;
        StringBuilder counts = new StringBuilder();
        for (int size : SIZES) {
            int failed = 0;
            for (int i = 0; i < TRIES; i++) {
                exchangeText(size);
                failed += claim(size) ? 0 : 1;
            }
            counts.append(' ').append(size).append(": ").append(failed);
            foreign += failed;
        }
        System.out.println(TRIES + " claims of each size; so many showed foreign bytes:" + counts);
        assertEquals(0, foreign, "claims that showed foreign bytes, by size of target:" + counts);
    }

    /** A peer that fills targets and blocks for sending, also of this size. */
    private void exchangeText(int size) throws IOException {
        byte[] text = new byte[2 * size + (64 << 10)];
        for (int i = 0; i < text.length; i++) {
            text[i] = TEXT[i % TEXT.length];
        }
        try (VerbsSockets sockets = VerbsSockets.open(verbs); VerbsSocket socket = sockets.connect(server, SOON)) {
            socket.setTimeout(SOON);
            Thread writer = Thread.ofPlatform().daemon().start(() -> write(socket, text));
            byte[] back = new byte[text.length];
            new DataInputStream(socket.inputStream()).readFully(back);
            assertArrayEquals(text, back);
            writer.join();
            socket.shutdownOutput();
            // The server has closed its stream.
            assertEquals(-1, socket.inputStream().read());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static void write(VerbsSocket socket, byte[] text) {
        try {
            socket.outputStream().write(text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Announces all of each target until one had this size. Returns whether zeros came back. */
    private boolean claim(int size) {
        region.segment().fill((byte) 0);
        try (CompletionQueue queue = verbs.device().createCompletionQueue(2 * RECEIVES);
                Connector connector = ConnectionManager.of(verbs.device()).connector(server, SOON);
                QueuePair pair = connector.createQueuePair(domain, QueuePairAttributes.of(queue).withDepths(PLACES, RECEIVES))) {
            return new Claim(region, queue, connector, pair).run(size);
        }
    }

    /** One connection. Its memory is the table of targets, what is sent, what is received, and from {@link #FIRST} on what is echoed. */
    private static final class Claim {
        private static final int SENT = 64;
        private static final int RECEIVED = 128;
        private static final int FIRST = 32 << 10;

        private final MemoryRegion region;
        private final CompletionQueue queue;
        private final QueuePair pair;
        private final Completions completions = Completions.allocate(64);
        private final int firstTarget;
        private int slot;
        private short limit;
        private short sent;
        private int echoed;
        private int claimed;

        Claim(MemoryRegion region, CompletionQueue queue, Connector connector, QueuePair pair) {
            this.region = region;
            this.queue = queue;
            this.pair = pair;
            for (int i = 0; i < RECEIVES; i++) {
                receive(i);
            }
            byte[] data = new PrivateData(false, CREDITS, region.address(), region.remoteKey(), 2, region.address() + FIRST,
                    region.remoteKey(), ECHO, false).encode();
            byte[] answer = connector.connect(ConnectionParameters.defaults().withPrivateData(data).withReads(1, 1), SOON).privateData();
            try {
                PrivateData peer = PrivateData.decode(answer);
                limit = (short) peer.credits();
                firstTarget = peer.length();
            } catch (StreamProtocolException e) {
                throw new AssertionError(e);
            }
        }

        private void receive(int place) {
            pair.post(new ReceiveRequest().receive(place).local(region, RECEIVED + (long) place * Message.LENGTH, Message.LENGTH));
        }

        boolean run(int size) {
            int target = firstTarget;
            for (int i = 0; target != size; i++) {
                assertTrue(i < MOST_TARGETS, "no target of " + size + " bytes, the last one has " + target);
                if (target < size) {
                    claim(target);
                } else {
                    for (int single = 1; single < MANY; single++) {
                        claim(1);
                    }
                    claim(target - MANY + 1);
                }
                target = nextTarget();
            }
            claim(target);
            return region.segment().asSlice(FIRST, claimed).mismatch(ZEROS.asSlice(0, claimed)) < 0;
        }

        /** Announces bytes that it does not write, and takes the echo. */
        private void claim(int bytes) {
            while (sent == limit) {
                take();
            }
            region.segment().set(INT, SENT, Message.of(Message.DATA, bytes));
            pair.post(new SendRequest().send(1).local(region, SENT, Message.LENGTH));
            sent++;
            claimed += bytes;
            while (echoed < claimed) {
                take();
            }
        }

        private int nextTarget() {
            slot = 1 - slot;
            long length = (long) slot * Target.LENGTH + Target.SIZE;
            int target = region.segment().get(INT, length);
            while (target == 0) {
                take();
                target = region.segment().get(INT, length);
            }
            region.segment().set(INT, length, 0);
            return target;
        }

        private void take() {
            if (queue.await(completions, SOON) == 0) {
                throw new AssertionError("no echo: " + echoed + " of " + claimed + " bytes");
            }
            while (completions.next()) {
                if (!completions.isSuccess()) {
                    throw new AssertionError("the server has ended the stream: " + completions.status());
                }
                if (completions.isReceive()) {
                    int place = (int) completions.id();
                    int message = region.segment().get(INT, RECEIVED + (long) place * Message.LENGTH);
                    receive(place);
                    if (Message.operation(message) == Message.DATA) {
                        echoed += Message.content(message);
                    } else if (Message.operation(message) == Message.CREDITS) {
                        limit = (short) Message.content(message);
                    }
                }
            }
        }
    }
}
