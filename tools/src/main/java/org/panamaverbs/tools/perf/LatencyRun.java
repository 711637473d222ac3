package org.panamaverbs.tools.perf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.panamaverbs.tools.shared.Failure;

/**
 * One message at a time. A Write is echoed by a Write: each end looks at the last byte of its buffer for the next number. A message
 * that takes a receive is echoed by the same. A Read or an atomic is its own answer.
 */
final class LatencyRun extends Run {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final Operation operation;
    private final Requester requester;
    private final long last;
    private byte number = 1;
    private long posted;
    private long completed;
    private long received;
    private long done;

    LatencyRun(ActiveSide side, Course course, int thread) {
        super(side, course, thread);
        operation = side.plan().operation();
        requester = side.requester(0);
        last = side.plan().size() - 1;
    }

    /** The numbers go round from 1 to 127: memory is 0 at first. */
    static byte next(byte number) {
        return (byte) (number == 127 ? 1 : number + 1);
    }

    @Override
    protected void runFor(long nanos) {
        long start = System.nanoTime();
        long nanoTime = start;
        while (nanoTime - start < nanos) {
            betweenMessages(nanoTime);
            if (operation.delivers()) {
                sendAndAwaitEcho();
            } else if (operation.fetches()) {
                fetch();
            } else {
                writeAndAwaitEcho();
            }
            done++;
            long previous = nanoTime;
            nanoTime = System.nanoTime();
            record(nanoTime - previous);
        }
        if (operation.fetches()) {
            requester.messages().check(posted);
        }
    }

    private void writeAndAwaitEcho() {
        MemorySegment sink = requester.sink();
        // The source belongs to the provider until the Write before has completed.
        while (completed < posted) {
            side.await(this);
        }
        requester.source().segment().set(ValueLayout.JAVA_BYTE, last, number);
        post();
        long since = 0;
        int spins = 0;
        while ((byte) BYTE.getAcquire(sink, last) != number) {
            if (side.poll(this) == 0) {
                Waiting.pause(++spins);
            }
            if ((spins & 0xffff) == 0xffff) {
                since = side.patience(since);
            }
        }
        number = next(number);
    }

    private void sendAndAwaitEcho() {
        long wanted = received + 1;
        post();
        while (received < wanted || completed < posted) {
            side.await(this);
        }
    }

    private void fetch() {
        post();
        while (completed < posted) {
            side.await(this);
        }
    }

    private void post() {
        while (!requester.messages().post(ActiveSide.id(0, posted), posted, true, false)) {
            side.await(this);
        }
        posted++;
    }

    @Override
    void onCompletion(int connection, long number) {
        completed = number + 1;
    }

    @Override
    void onCredits(int connection) {
        throw new Failure(Failure.Kind.PEER, "the peer gives credits in a ping-pong: run the same version at both ends");
    }

    @Override
    void onMessage(int connection) {
        received++;
    }

    @Override
    protected long done() {
        return done;
    }
}
