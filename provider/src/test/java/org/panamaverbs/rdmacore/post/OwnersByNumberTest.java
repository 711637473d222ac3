package org.panamaverbs.rdmacore.post;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.VerbsException;
import org.panamaverbs.rdmacore.queue.CompletionStash;

/** Queue pairs that come and go, also two of one number. */
class OwnersByNumberTest {
    private final OwnersByNumber owners = new OwnersByNumber();

    /** A queue pair that has a number and nothing else. */
    private static final class Numbered implements WorkOwner {
        private final int number;

        private Numbered(int number) {
            this.number = number;
        }

        @Override
        public int number() {
            return number;
        }

        @Override
        public Object attachment() {
            return null;
        }

        @Override
        public CompletionStash early() {
            throw new UnsupportedOperationException();
        }

        @Override
        public QueuePairState state() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onShared(long bytes, int status) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean onRefused(boolean isSend) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onFailure(boolean isSend, int status) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void fail(VerbsException reason) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isFinished() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void startClosing() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }

    private Numbered added(int number) {
        Numbered owner = new Numbered(number);
        owners.add(owner);
        return owner;
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 4, 100 })
    void shouldFindEachThatIsThere(int count) {
        List<Numbered> all = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            all.add(added(number * 17));
        }
        for (int removed = 0; removed < count; removed++) {
            for (int i = 0; i < count; i++) {
                assertSame(i < removed ? null : all.get(i), owners.find(i * 17));
            }
            owners.remove(all.get(removed));
        }
        assertTrue(owners.isEmpty());
        assertNull(owners.find(0));
    }

    /** Whichever goes first, and whatever others are there. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 2, 3, 7 })
    void shouldTellTwoOfOneNumberApart(int others) {
        for (int number = 1; number <= others; number++) {
            added(number);
        }
        for (boolean isOlderFirst : new boolean[] { false, true }) {
            Numbered older = added(0);
            Numbered newer = added(0);
            owners.remove(isOlderFirst ? older : newer);
            assertSame(isOlderFirst ? newer : older, owners.find(0));
            owners.remove(isOlderFirst ? newer : older);
            assertNull(owners.find(0));
            assertEquals(others == 0, owners.isEmpty());
        }
    }

    @Test
    void shouldLeaveTheOthersIfOneIsUnknown() {
        Numbered known = added(5);
        owners.remove(new Numbered(5));
        owners.remove(new Numbered(6));
        assertSame(known, owners.find(5));
        assertFalse(owners.isEmpty());
    }
}
