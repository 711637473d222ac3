package org.panamaverbs.rpcrdma.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.panamaverbs.cm.PeerNetwork;

/** Shares of a stock. */
class BudgetTest {
    private final Budget budget = new Budget(24);

    private static PeerNetwork peer(int number) {
        return PeerNetwork.of(new InetSocketAddress(InetAddress.ofLiteral("192.0.2." + number), 0));
    }

    /** Takes ones until that is refused. */
    private int takeAll(int number) {
        int taken = 0;
        while (budget.tryTake(peer(number), 1)) {
            taken++;
        }
        return taken;
    }

    @Test
    void shouldGiveHalfToOnePeerAndLeaveSomethingForTheNext() {
        assertEquals(12, takeAll(1));
        assertEquals(6, takeAll(2));
        assertEquals(3, takeAll(3));
        assertEquals(2, takeAll(4));
        assertEquals(1, takeAll(5));
        assertEquals(24, budget.taken());
        assertEquals(0, takeAll(6));
    }

    @Test
    void shouldGiveAllToOneThatTakesItAtOnce() {
        assertTrue(budget.tryTake(peer(1), 24));
        assertFalse(budget.tryTake(peer(2), 1));
        assertFalse(new Budget(1).tryTake(peer(1), 2));
        assertTrue(new Budget(1).tryTake(peer(1), 1));
    }

    @Test
    void shouldTakeBackWhatAPeerHas() {
        budget.tryTake(peer(1), 5);
        budget.take(peer(1), 30);
        assertEquals(35, budget.takenBy(peer(1)));
        assertFalse(budget.tryTake(peer(2), 1));
        assertThrows(IllegalStateException.class, () -> budget.giveBack(peer(2), 1));
        budget.giveBack(peer(1), 35);
        assertEquals(0, budget.taken());
        assertEquals(12, takeAll(2));
    }

    @Test
    void shouldRefuseAnEmptyStock() {
        assertThrows(IllegalArgumentException.class, () -> new Budget(0));
    }
}
