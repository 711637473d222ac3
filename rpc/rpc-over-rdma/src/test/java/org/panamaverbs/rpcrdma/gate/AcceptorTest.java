package org.panamaverbs.rpcrdma.gate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.rpcrdma.limits.ServiceLimits;

/** A thread that accepts, whatever a connection throws. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AcceptorTest {
    private final Gate gate = new Gate(ServiceLimits.builder().build(), 1, System::nanoTime);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger turns = new AtomicInteger();

    private Acceptor start(Acceptor.Door door) {
        return new Acceptor("acceptor of a test", gate, door, "the address of a test", 1);
    }

    /** A door that fails by all that there is, and then has no further connection. */
    private final class Failing implements Acceptor.Door {
        @Override
        public boolean accept() throws IOException {
            switch (turns.incrementAndGet()) {
                case 1 -> throw new OutOfMemoryError("for a connection");
                case 2 -> throw new IOException("no descriptor");
                case 3 -> throw new IllegalStateException("a defect");
                case 4 -> throw new NoClassDefFoundError("no descriptor to load it");
                default -> {
                    ended.countDown();
                    return false;
                }
            }
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    @Test
    void shouldGoOnWhateverAConnectionThrows() throws Exception {
        Acceptor acceptor = start(new Failing());
        assertTrue(ended.await(20, TimeUnit.SECONDS));
        acceptor.close();
        assertEquals(5, turns.get(), "a door without further connections is asked again");
        assertEquals(0, closed.getCount());
    }

    @Test
    void shouldCloseTheDoorOfAThreadThatWaits() throws Exception {
        Acceptor acceptor = start(new Acceptor.Door() {
            @Override
            public boolean accept() throws IOException {
                ended.countDown();
                try {
                    closed.await();
                } catch (InterruptedException e) {
                    return false;
                }
                throw new IOException("the door is closed");
            }

            @Override
            public void close() {
                closed.countDown();
            }
        });
        assertTrue(ended.await(20, TimeUnit.SECONDS));
        acceptor.close();
    }
}
