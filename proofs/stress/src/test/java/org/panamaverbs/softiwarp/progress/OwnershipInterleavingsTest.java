package org.panamaverbs.softiwarp.progress;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;

class OwnershipInterleavingsTest {
    /** Uses its ownership as {@link StreamSender} does. A post adds one to a number, and to transmit is to read that number. */
    private static final class Transmission {
        private final Ownership ownership = new Ownership();
        private final AtomicInteger posted = new AtomicInteger();
        private final AtomicBoolean owned = new AtomicBoolean();
        private final AtomicBoolean dueLater = new AtomicBoolean();
        private volatile int sent;

        void post() {
            post(Integer.MAX_VALUE);
        }

        /** Posts. An owner looks so many times at most: then it lets go, even after a kick. */
        void post(int looks) {
            posted.incrementAndGet();
            kick(looks);
        }

        private void kick(int looks) {
            if (!ownership.kick()) {
                return;
            }
            for (int left = looks - 1;; left--) {
                transmit();
                if (left == 0) {
                    ownership.forceRelease();
                    dueLater.set(true);
                    return;
                }
                if (ownership.release()) {
                    return;
                }
                ownership.begin();
            }
        }

        private void transmit() {
            require(owned.compareAndSet(false, true), "two threads own transmission");
            sent = posted.get();
            owned.set(false);
        }

        /** A turn of the event loop. */
        void turn() {
            if (dueLater.getAndSet(false)) {
                kick(1);
            }
        }

        void requireAllSent() {
            require(sent == posted.get(), "a kick is lost: nobody transmits");
        }
    }

    @Test
    void shouldLoseNoKick() {
        Interleavings.of(Transmission::new).thread(Transmission::post).thread(Transmission::post).thread(Transmission::post)
                .check(Transmission::requireAllSent);
    }

    @Test
    void shouldLoseNoKickOfAThreadThatKicksAgain() {
        Interleavings.of(Transmission::new).thread(Transmission::post).thread(transmission -> {
            transmission.post();
            transmission.post();
        }).check(Transmission::requireAllSent);
    }

    @Test
    void shouldLoseNoKickWhenTheOwnerLetsGoWithoutALook() {
        Interleavings.of(Transmission::new).thread(Transmission::post).thread(transmission -> {
            transmission.post(1);
            transmission.turn();
        }).check(transmission -> {
            // The loop goes on.
            transmission.turn();
            transmission.turn();
            transmission.requireAllSent();
        });
    }
}
