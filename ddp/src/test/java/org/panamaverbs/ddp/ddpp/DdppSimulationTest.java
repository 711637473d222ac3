package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random messages of several sources over a simulated transport of each of the four characteristics, and a model that checks the rules of
 * sections 3 to 3.4 on all that the receiver did. A failure names its seed.
 */
class DdppSimulationTest {
    private static final int ROUNDS = 150;
    private static final int MESSAGES = 60;
    private static final int SOURCES = 3;
    private static final int PAYLOAD = 64;
    private static final int SIZE = 2048;
    private static final int BUFFERS = 2;

    /** The transports. {@code reordering} says how far a message may move; {@code faulty} ones lose and duplicate. */
    private enum Transport {
        RELIABLE_ORDERED(0, false), RELIABLE_UNORDERED(1000, false), UNRELIABLE_ORDERED(20, true), UNRELIABLE_UNORDERED(20, true);

        private final int reordering;
        private final boolean faulty;

        Transport(int reordering, boolean faulty) {
            this.reordering = reordering;
            this.faulty = faulty;
        }

        boolean isOrdered() {
            return this == RELIABLE_ORDERED || this == UNRELIABLE_ORDERED;
        }
    }

    /** A message as it was submitted to the transport: the {@code index}-th of its source. */
    private record Part(int source, int index, byte[] bytes) {
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheRulesOnRandomTraffic(Transport transport) {
        long seed = System.nanoTime();
        int delivered = 0;
        int dropped = 0;
        for (int round = 0; round < ROUNDS; round++) {
            try {
                Model model = new Model(transport, new Random(seed + round));
                model.run();
                delivered += model.client.deliveries.size();
                dropped += model.tally().dropped();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("round of seed " + (seed + round), e);
            }
        }
        assertTrue(delivered > ROUNDS * MESSAGES / 2, delivered + " delivered");
        assertEquals(transport == Transport.UNRELIABLE_ORDERED, dropped > 0, dropped + " dropped");
    }

    /** One run. */
    private static final class Model {
        private final Transport transport;
        private final Random random;
        private final boolean stream;
        private final Datagrams datagrams = new Datagrams();
        private final Streams streams = new Streams();
        final TestClient client;
        private final MemorySegment[] buffers = new MemorySegment[BUFFERS];
        /** Identifies a part to the client; random contents make it unique. */
        private final Map<TestClient.Delivery, Part> parts = new HashMap<>();
        private final List<Part> submitted = new ArrayList<>();
        private int nextIdentifier;

        Model(Transport transport, Random random) {
            this.transport = transport;
            this.random = random;
            stream = transport == Transport.RELIABLE_ORDERED;
            client = stream ? streams.client : datagrams.client;
            for (int i = 0; i < BUFFERS; i++) {
                buffers[i] = client.register(i, i * 1_000_000L, SIZE);
            }
        }

        Tally tally() {
            return stream ? streams.tally : datagrams.tally;
        }

        void run() {
            int sources = stream ? 1 : SOURCES;
            List<List<Part>> queues = new ArrayList<>();
            for (int source = 0; source < sources; source++) {
                queues.add(send(source));
            }
            List<Part> arrivals = transmit(queues);
            for (int i = 0; i < 2 * submitted.size(); i++) {
                client.post(PAYLOAD);
            }
            receive(arrivals);
            checkDeliveries();
            checkMemory();
        }

        /** All parts of one source, in the order of submission. */
        private List<Part> send(int source) {
            DdppTransmitter transmitter = new DdppTransmitter(PAYLOAD, PAYLOAD, transport == Transport.UNRELIABLE_ORDERED);
            List<Part> queue = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                // No part is so short that its contents could be those of another by chance.
                int length = random.nextInt(4) == 0 ? 0 : random.nextInt(12, PAYLOAD + 1);
                byte[] content = new byte[length + PAYLOAD * random.nextInt(4)];
                random.nextBytes(content);
                if (random.nextInt(4) == 0) {
                    content = Arrays.copyOf(content, random.nextInt(12, PAYLOAD + 1));
                    random.nextBytes(content);
                    assertTrue(transmitter.beginUndecorated(content.length));
                } else {
                    int stag = random.nextInt(BUFFERS);
                    long offset = stag * 1_000_000L + random.nextInt(SIZE - content.length + 1);
                    boolean notifying = content.length == 0 || random.nextInt(3) == 0;
                    assertTrue(transmitter.beginDecorated(content.length, stag, offset, notifying, nextIdentifier++, false));
                }
                for (byte[] bytes : Datagrams.parts(transmitter, content)) {
                    Part part = new Part(source, queue.size(), bytes);
                    queue.add(part);
                    submitted.add(part);
                    parts.put(expected(bytes), part);
                }
            }
            return queue;
        }

        /** The delivery that corresponds to a message. */
        private static TestClient.Delivery expected(byte[] bytes) {
            MemorySegment memory = MemorySegment.ofArray(bytes);
            boolean decorated = Ddpp.kind(memory, 0) == Ddpp.DECORATED;
            int size = decorated ? Ddpp.DECORATED_SIZE : Ddpp.UNDECORATED_SIZE;
            String payload = HexFormat.of().formatHex(bytes, size, bytes.length);
            if (!decorated) {
                return new TestClient.Delivery(false, 0, 0, payload, false, 0);
            }
            boolean notifying = Ddpp.isNotifying(memory, 0);
            return new TestClient.Delivery(true, Ddpp.stag(memory, 0), Ddpp.offset(memory, 0), payload, notifying,
                    notifying ? Ddpp.identifier(memory, 0) : 0);
        }

        /** Lets the network act on the queues. */
        private List<Part> transmit(List<List<Part>> queues) {
            record Arrival(double time, Part part) {
            }
            List<Arrival> arrivals = new ArrayList<>();
            for (List<Part> queue : queues) {
                for (Part part : queue) {
                    int copies = !transport.faulty ? 1 : random.nextInt(10) == 0 ? 0 : random.nextInt(5) == 0 ? 2 : 1;
                    for (int i = 0; i < copies; i++) {
                        boolean late = transport.reordering > 0 && random.nextInt(3) == 0;
                        arrivals.add(new Arrival(part.index() + (late ? random.nextDouble() * transport.reordering : 0), part));
                    }
                }
            }
            Collections.sort(arrivals, (a, b) -> Double.compare(a.time(), b.time()));
            return arrivals.stream().map(Arrival::part).toList();
        }

        private void receive(List<Part> arrivals) {
            if (stream) {
                byte[] bytes = Streams.stream(arrivals.stream().map(Part::bytes).toArray(byte[][]::new));
                for (int at = 0; at < bytes.length;) {
                    int end = Math.min(bytes.length, at + random.nextInt(1, 300));
                    assertEquals(StreamError.NONE, streams.feed(Arrays.copyOfRange(bytes, at, end), random.nextInt(1, 300)));
                    at = end;
                }
                assertTrue(streams.reader.isAtBoundary());
                return;
            }
            for (Part part : arrivals) {
                int before = client.deliveries.size();
                Drop drop = datagrams.receive(part.bytes(), part.source());
                if (drop == Drop.NONE) {
                    assertEquals(before + 1, client.deliveries.size());
                    assertEquals(expected(part.bytes()), client.deliveries.getLast());
                } else {
                    assertEquals(Drop.LATE, drop);
                    assertEquals(Transport.UNRELIABLE_ORDERED, transport);
                    assertEquals(before, client.deliveries.size());
                }
            }
        }

        private void checkDeliveries() {
            Map<Integer, Integer> lastDelivered = new HashMap<>();
            Set<Part> indicated = new HashSet<>();
            Set<Part> placed = new HashSet<>();
            for (TestClient.Delivery delivery : client.deliveries) {
                // Section 3: only corresponding sets, all of them before the indication: these bytes were in place.
                Part part = parts.get(delivery);
                assertNotNull(part, () -> "nothing submitted corresponds to " + delivery);
                boolean indicates = !delivery.decorated() || delivery.notifying();
                if (transport.isOrdered()) {
                    // Section 3, ordered; 3.1 and 3.3.
                    assertTrue(part.index() > lastDelivered.getOrDefault(part.source(), -1), () -> part.index() + " comes too late");
                }
                if (!transport.faulty) {
                    // Section 3, reliable.
                    assertFalse(indicated.contains(part), "a set after the indication");
                    assertTrue(placed.add(part));
                }
                if (indicates) {
                    lastDelivered.put(part.source(), part.index());
                    assertTrue(indicated.add(part) || transport == Transport.UNRELIABLE_UNORDERED, "delivered twice");
                }
            }
            if (!transport.faulty) {
                assertEquals(new HashSet<>(submitted), placed, "a reliable transport loses nothing");
            }
            if (stream) {
                assertEquals(submitted, client.deliveries.stream().map(parts::get).toList());
            }
        }

        /** The buffers are what the corresponding sets make of zeros, and nothing else. */
        private void checkMemory() {
            byte[][] expected = new byte[BUFFERS][SIZE];
            for (TestClient.Delivery delivery : client.deliveries) {
                if (delivery.decorated()) {
                    byte[] bytes = HexFormat.of().parseHex(delivery.bytes());
                    int at = (int) (delivery.offset() - delivery.stag() * 1_000_000L);
                    System.arraycopy(bytes, 0, expected[delivery.stag()], at, bytes.length);
                }
            }
            for (int i = 0; i < BUFFERS; i++) {
                assertArrayEquals(expected[i], Datagrams.content(buffers[i]));
            }
        }
    }
}
