package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both machines of a repair, with losses. A seed replays a run: {@code -Drepair.seed=N}. */
class RepairSimulationTest {
    private static final int RECEIVERS = 8;
    private static final int SIZE = 300_007;

    private static RepairSimulation simulation(int size, int least) {
        long seed = Long.getLong("repair.seed", System.nanoTime());
        System.out.println("RepairSimulationTest seed " + seed);
        return new RepairSimulation(seed, size, least);
    }

    private static void assertAllExact(RepairSimulation simulation) {
        assertAll(simulation.receivers.stream().filter(each -> each.alive)
                .map(each -> () -> assertAll(() -> assertTrue(each.isExact(), "exact"), () -> assertEquals(0, each.holes.missing()),
                        () -> assertTrue(each.over, "over"), () -> assertFalse(each.machine.differs(), "differs"))));
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 5, 30 })
    void shouldMakeAllWhole(int percent) {
        RepairSimulation simulation = simulation(SIZE, RECEIVERS);
        for (int i = 0; i < RECEIVERS; i++) {
            simulation.add(percent / 100.0);
        }
        if (percent == 0) {
            // A notification that comes too early is answered with holes.
            simulation.jitter = 0;
        }
        simulation.run();
        assertAllExact(simulation);
        assertAll(() -> assertTrue(simulation.sender.isSuccess(), "success"),
                () -> assertEquals(percent == 0, simulation.sender.repaired() == 0),
                () -> assertTrue(simulation.sender.repaired() < 4L * SIZE, () -> "repaired " + simulation.sender.repaired()),
                () -> assertTrue(simulation.seconds() < 30, () -> simulation.seconds() + " s"));
    }

    @Test
    void shouldMakeAllWholeThatLoseDifferently() {
        RepairSimulation simulation = simulation(SIZE, RECEIVERS);
        for (int i = 0; i < RECEIVERS; i++) {
            simulation.add(0.05 * i);
        }
        simulation.run();
        assertAllExact(simulation);
        assertTrue(simulation.sender.isSuccess());
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 999, 1000, 1001 })
    void shouldSendShortFiles(int size) {
        RepairSimulation simulation = simulation(size, 2);
        simulation.add(0.3);
        simulation.add(0);
        simulation.run();
        assertAllExact(simulation);
        assertTrue(simulation.sender.isSuccess());
    }

    /** Its 30 s pass, and the others are whole long before. */
    @Test
    void shouldGoOnWithoutAReceiverThatDies() {
        RepairSimulation simulation = simulation(SIZE, 0);
        for (int i = 0; i < RECEIVERS; i++) {
            simulation.add(0.3);
        }
        RepairSimulation.Receiver dead = simulation.receivers.get(3);
        killOnceItIsKnown(simulation, dead);
        simulation.run();
        assertAllExact(simulation);
        assertAll(() -> assertFalse(simulation.sender.isSuccess()),
                () -> assertEquals(1, simulation.sender.reporters().stream().filter(each -> each.state() == Reporter.State.SILENT).count()),
                () -> assertEquals(dead.address, simulation.sender.reporters().stream().filter(each -> each.state() != Reporter.State.WHOLE)
                        .findAny().orElseThrow().address()));
    }

    private static void killOnceItIsKnown(RepairSimulation simulation, RepairSimulation.Receiver dead) {
        if (simulation.sender.reporters().stream().anyMatch(each -> each.address().equals(dead.address) && each.isAwaited())) {
            dead.alive = false;
        } else {
            simulation.at(simulation.now + RepairSimulation.MILLISECOND, () -> killOnceItIsKnown(simulation, dead));
        }
    }

    @Test
    void shouldMakeAReceiverWholeThatJoinsLate() {
        RepairSimulation simulation = simulation(SIZE, RECEIVERS);
        for (int i = 0; i < RECEIVERS; i++) {
            simulation.add(0.01);
        }
        RepairSimulation.Receiver middle = simulation.receivers.get(1);
        RepairSimulation.Receiver late = simulation.receivers.get(2);
        middle.alive = false;
        late.alive = false;
        simulation.at(simulation.begin + RepairSimulation.MILLISECOND, () -> middle.alive = true);
        simulation.at(simulation.begin + 5 * RepairSimulation.SECOND, () -> late.alive = true);
        simulation.run();
        assertAllExact(simulation);
        assertAll(() -> assertTrue(late.alive && late.isExact()), () -> assertTrue(simulation.sender.isSuccess()));
    }

    @Test
    void shouldNotWaitForReceiversThatNeverReport() {
        RepairSimulation simulation = simulation(SIZE, 0);
        simulation.run();
        assertAll(() -> assertTrue(simulation.sender.isSuccess()),
                () -> assertTrue(simulation.seconds() < 2, () -> simulation.seconds() + " s"));
    }

    @Test
    void shouldGiveUpOnReceiversThatNeverCome() {
        RepairSimulation simulation = simulation(SIZE, 3);
        simulation.add(0.01);
        simulation.run();
        assertAllExact(simulation);
        assertAll(() -> assertFalse(simulation.sender.isSuccess()),
                () -> assertTrue(simulation.seconds() > 29 && simulation.seconds() < 35, () -> simulation.seconds() + " s"));
    }

    /** The first ones of a kind: each way to answer must have another one behind it. */
    @ParameterizedTest
    @ValueSource(chars = { 'H', 'D', 'E' })
    void shouldBearTheLossOfTheFirstMessagesOfAKind(char kind) {
        RepairSimulation simulation = simulation(SIZE, 2);
        simulation.add(0.05);
        simulation.add(0.05);
        int[] lost = new int[1];
        simulation.filter = (toSender, each) -> each == kind && lost[0]++ < 4;
        simulation.run();
        assertAllExact(simulation);
        assertAll(() -> assertTrue(lost[0] >= 4, () -> "lost " + lost[0]), () -> assertTrue(simulation.sender.isSuccess()));
    }

    /** As often as a lossy network loses a notification or its answer: the sender asks again when an answer is later than the others were. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldSoonAskAgainIfAnAnswerIsLost(boolean answers) {
        RepairSimulation simulation = simulation(8_000_000, 1);
        simulation.add(0);
        int[] messages = new int[1];
        int[] lost = new int[1];
        simulation.filter = (toSender, kind) -> {
            boolean asks = kind == 0 && simulation.sender.pieceIsLast();
            if (kind == 0 && !asks) {
                return simulation.random.nextDouble() < 0.2;
            }
            boolean loses = (answers ? kind == RepairMessage.HOLES : asks) && ++messages[0] % 3 == 0;
            lost[0] += loses ? 1 : 0;
            return loses;
        };
        simulation.run();
        assertAllExact(simulation);
        assertAll(() -> assertTrue(simulation.sender.isSuccess()), () -> assertTrue(lost[0] >= 5, () -> "lost " + lost[0]),
                () -> assertTrue(simulation.seconds() < 1.5 + 0.05 * lost[0], () -> simulation.seconds() + " s, lost " + lost[0]));
    }

    @Test
    void shouldBearGarbageFromStrangers() {
        RepairSimulation simulation = simulation(SIZE, RECEIVERS);
        for (int i = 0; i < RECEIVERS; i++) {
            simulation.add(0.05);
        }
        Random random = simulation.random;
        LongStream.range(0, 4_000).forEach(i -> {
            InetSocketAddress stranger = new InetSocketAddress(10_000 + random.nextInt(50_000));
            byte[] garbage = new byte[random.nextInt(40)];
            random.nextBytes(garbage);
            if (garbage.length > 0 && random.nextBoolean()) {
                garbage[0] = (byte) "HDE".charAt(random.nextInt(3));
            }
            simulation.at(simulation.begin + random.nextLong(20 * RepairSimulation.MILLISECOND),
                    () -> simulation.toSender(stranger, garbage));
        });
        simulation.run();
        // The true ones report early, and are among those that are known; strangers make the sender wait, no more.
        assertAllExact(simulation);
        assertAll(() -> assertTrue(simulation.sender.reporters().size() <= RepairSender.MOST_REPORTERS),
                () -> assertTrue(simulation.sender.ignored() > 0));
    }

    /** Each H asks for all of the file, from ever new addresses. */
    @Test
    void shouldSendABoundedAmountToStrangers() {
        RepairSimulation simulation = simulation(SIZE, 0);
        byte[] all = new byte[17];
        all[0] = 'H';
        all[14] = (byte) (SIZE >> 16);
        all[15] = (byte) (SIZE >> 8);
        all[16] = (byte) SIZE;
        for (int i = 0; i < 15_000; i++) {
            InetSocketAddress stranger = new InetSocketAddress(1 + i % 60_000);
            simulation.at(simulation.begin + i * RepairSimulation.MILLISECOND / 10, () -> simulation.toSender(stranger, all));
        }
        simulation.run();
        assertAll(
                () -> assertTrue(simulation.dataSent <= (RepairSender.MOST_FILES + 1L) * SIZE + (1 << 20),
                        () -> "sent " + simulation.dataSent),
                () -> assertTrue(simulation.dataSent > 2L * SIZE, () -> "sent " + simulation.dataSent),
                () -> assertFalse(simulation.sender.isSuccess()));
    }

    @Test
    void shouldSendOneStrangerLess() {
        RepairSimulation simulation = simulation(SIZE, 0);
        RepairSimulation.Receiver receiver = simulation.add(0.05);
        byte[] all = new byte[17];
        all[0] = 'H';
        all[14] = (byte) (SIZE >> 16);
        all[15] = (byte) (SIZE >> 8);
        all[16] = (byte) SIZE;
        InetSocketAddress stranger = new InetSocketAddress(7);
        for (int i = 0; i < 10_000; i++) {
            simulation.at(simulation.begin + i * RepairSimulation.MILLISECOND, () -> simulation.toSender(stranger, all));
        }
        simulation.run();
        assertAllExact(simulation);
        assertAll(() -> assertTrue(receiver.isExact()),
                () -> assertTrue(simulation.dataSent <= (RepairSender.MOST_FILES_EACH + 2L) * SIZE + (1 << 20),
                        () -> "sent " + simulation.dataSent),
                () -> assertEquals(1,
                        simulation.sender.reporters().stream().filter(each -> each.state() == Reporter.State.EXHAUSTED).count()));
    }

    /** Every 100 ms: all octets are there and not the checksum, one octet of ever other places is not, or the checksum is another each time. */
    @ParameterizedTest
    @ValueSource(strings = { "no holes", "one octet", "other checksums" })
    void shouldNotBeHeldByAStranger(String what) {
        RepairSimulation simulation = simulation(SIZE, 0);
        RepairSimulation.Receiver receiver = simulation.add(0.05);
        IntFunction<byte[]> messages = i -> {
            byte[] message = new byte[switch (what) {
                case "no holes" -> 1;
                case "one octet" -> 17;
                default -> 5;
            }];
            message[0] = (byte) (message.length == 5 ? 'D' : 'H');
            if (message.length == 17) {
                message[8] = (byte) i;
                message[16] = 1;
            } else if (i % 2 == 0 && message.length == 5) {
                ByteBuffer.wrap(message).putInt(1, simulation.checksum);
            }
            return message;
        };
        simulation.at(simulation.begin, () -> everySoOften(simulation, new InetSocketAddress(7), messages, 0));
        simulation.run();
        assertAllExact(simulation);
        assertAll(() -> assertTrue(receiver.isExact()), () -> assertTrue(simulation.senderHasEnded),
                () -> assertTrue(simulation.seconds() < 310, () -> simulation.seconds() + " s"));
    }

    /** For two hours, unless the sender ends. */
    private static void everySoOften(RepairSimulation simulation, InetSocketAddress source, IntFunction<byte[]> message, int i) {
        if (!simulation.senderHasEnded && i < 72_000) {
            simulation.toSender(source, message.apply(i));
            simulation.at(simulation.now + 100 * RepairSimulation.MILLISECOND, () -> everySoOften(simulation, source, message, i + 1));
        }
    }

    @Test
    void shouldNameAReceiverOfAnotherSize() {
        RepairSimulation simulation = simulation(SIZE, 0);
        simulation.add(0);
        RepairSimulation.Receiver larger = simulation.new Receiver(5, 0, SIZE + 5);
        larger.alive = true;
        simulation.receivers.add(larger);
        RepairSimulation.Receiver smaller = simulation.new Receiver(6, 0, SIZE - 8);
        smaller.alive = true;
        simulation.receivers.add(smaller);
        simulation.run();
        assertAll(() -> assertFalse(simulation.sender.isSuccess()),
                () -> assertEquals(2,
                        simulation.sender.reporters().stream().filter(each -> each.state() == Reporter.State.DIFFERS).count()),
                () -> assertTrue(smaller.machine.differs()), () -> assertTrue(larger.over && larger.holes.missing() == 5),
                () -> assertTrue(simulation.receivers.getFirst().isExact()));
    }
}
