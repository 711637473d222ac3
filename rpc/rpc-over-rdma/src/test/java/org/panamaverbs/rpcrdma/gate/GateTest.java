package org.panamaverbs.rpcrdma.gate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rpcrdma.limits.ServiceLimits;

/** Places, silence, stalls and memory, with a clock of the test's own. */
class GateTest {
    private static final long MIB = 1 << 20;
    private final List<String> ended = new ArrayList<>();
    private long now;
    private final Gate gate = new Gate(ServiceLimits.builder().connections(8).memory(4 * MIB).firstCall(Duration.ofSeconds(10))
            .silence(Duration.ofSeconds(300)).stall(Duration.ofSeconds(30)).build(), Integer.MAX_VALUE, () -> now);

    private Seat enter(int peer) {
        Seat seat = gate.enter(new InetSocketAddress(InetAddress.ofLiteral("192.0.2." + peer), 1));
        if (seat != null) {
            seat.attach(reason -> ended.add(peer + " " + reason), () -> {
                // No call waits.
            });
        }
        return seat;
    }

    private Seat enterAndCall(int peer) {
        Seat seat = enter(peer);
        seat.called();
        seat.answered();
        return seat;
    }

    private void pass(int seconds) {
        now += Duration.ofSeconds(seconds).toNanos();
        gate.sweep();
    }

    @Test
    void shouldRefuseAPeerThatHasItsShareAndIsNotSilent() {
        for (int i = 0; i < 4; i++) {
            enterAndCall(1);
        }
        assertNull(gate.enter(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 1)));
        assertEquals(1, gate.counts().refused());
        assertNotNull(enter(2));
        assertEquals(List.of(), ended);
    }

    @Test
    void shouldTakeThePlaceOfOneThatHasNotCalledYet() {
        enterAndCall(1);
        for (int i = 0; i < 3; i++) {
            enter(1);
        }
        assertNotNull(enter(1));
        assertEquals(List.of("1 it was silent, and a new connection needed its place"), ended);
        assertEquals(1, gate.counts().displaced());
        assertEquals(4, gate.counts().connections());
    }

    @Test
    void shouldTakeThePlaceOfTheOneThatIsSilentForLongest() {
        Seat longest = enterAndCall(1);
        pass(100);
        List<Seat> later = List.of(enterAndCall(1), enterAndCall(1), enterAndCall(1));
        pass(250);
        // One with a call under way is not silent.
        longest.called();
        pass(300);
        assertNotNull(enter(1));
        assertEquals(1, ended.size());
        assertFalse(later.stream().allMatch(Seat::hasCalled) && ended.isEmpty());
        longest.answered();
    }

    @Test
    void shouldTakeThePlaceOfAnySilentOneIfAllAreTaken() {
        for (int peer = 1; peer <= 8; peer++) {
            for (int i = 0; i < 8 && gate.counts().connections() < 8; i++) {
                Seat seat = gate.enter(new InetSocketAddress(InetAddress.ofLiteral("192.0.2." + peer), 1));
                if (seat == null) {
                    break;
                }
                int number = peer;
                seat.attach(reason -> ended.add(number + " " + reason), () -> {
                    // No call waits.
                });
                seat.called();
                seat.answered();
            }
        }
        assertEquals(8, gate.counts().connections());
        assertNull(enter(9));
        pass(301);
        assertNotNull(enter(9));
        assertEquals(1, ended.size());
    }

    @Test
    void shouldEndOneThatSendsNoFirstCall() {
        enter(1);
        enterAndCall(2);
        pass(10);
        assertEquals(List.of(), ended);
        pass(1);
        assertEquals(List.of("1 it sent no call in 10000 ms"), ended);
        assertEquals(1, gate.counts().silent());
        assertEquals(1, gate.counts().connections());
    }

    @Test
    void shouldEndOneThatOwesAndDoesNotMove() {
        Seat seat = enterAndCall(1);
        seat.replies().owe();
        pass(29);
        seat.replies().moved();
        seat.replies().owe();
        pass(29);
        seat.replies().paid();
        pass(29);
        assertEquals(List.of(), ended);
        pass(2);
        assertEquals(1, ended.size());
        assertTrue(ended.getFirst().contains("took no reply"), ended::getFirst);
        assertEquals(1, gate.counts().stalled());
    }

    /** One that sends on and on still has to take its replies. */
    @Test
    void shouldEndOneThatMovesInOneDirectionAlone() {
        Seat seat = enterAndCall(1);
        seat.replies().owe();
        seat.input().owe();
        for (int i = 0; i < 4; i++) {
            pass(10);
            seat.input().moved();
        }
        assertEquals(1, ended.size());
    }

    @Test
    void shouldNotEndOneWhoseDebtIsExcused() {
        Seat seat = enterAndCall(1);
        seat.input().owe();
        seat.input().excused();
        pass(1000);
        assertEquals(List.of(), ended);
    }

    @Test
    void shouldNotEndOneThatOwesNothing() {
        Seat seat = enterAndCall(1);
        seat.called();
        pass(1000);
        seat.input().owe();
        pass(29);
        assertEquals(List.of(), ended);
    }

    @Test
    void shouldShareMemoryAndTellThoseThatWait() {
        Seat greedy = enter(1);
        Seat other = enter(2);
        List<String> told = new ArrayList<>();
        greedy.attach(ended::add, () -> told.add("greedy"));
        other.attach(ended::add, () -> told.add("other"));
        assertTrue(greedy.tryTake(2 * MIB));
        assertFalse(greedy.tryTake(MIB));
        assertTrue(other.tryTake(MIB));
        assertFalse(other.tryTake(MIB));
        assertEquals(2, gate.counts().waiting());
        greedy.giveBack(2 * MIB);
        assertEquals(2, told.size());
        assertEquals(0, gate.counts().waiting());
        assertTrue(other.tryTake(MIB));
    }

    /** Short calls of a bystander never wait, whatever the others hold. */
    @Test
    void shouldGiveEachConnectionMemoryOfItsOwn() {
        enter(1).take(100 * MIB);
        Seat bystander = enter(2);
        assertTrue(bystander.tryTake(Seat.OWN));
        assertFalse(bystander.tryTake(1));
        bystander.giveBack(Seat.OWN);
        assertTrue(bystander.tryTake(1));
    }

    @Test
    void shouldTakeBackMemoryAfterTheEnd() {
        Seat seat = enter(1);
        seat.take(3 * MIB);
        seat.leave();
        seat.leave();
        assertEquals(0, gate.counts().connections());
        assertTrue(gate.counts().memory() > 0);
        seat.giveBack(3 * MIB);
        assertEquals(0, gate.counts().memory());
        assertFalse(seat.end("again"));
    }
}
