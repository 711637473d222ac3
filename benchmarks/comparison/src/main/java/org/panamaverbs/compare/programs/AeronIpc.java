package org.panamaverbs.compare.programs;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import org.agrona.IoUtil;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

/**
 * Messages of Aeron over shared memory between two processes, of which the server has the media driver, as a thread that sleeps: messages do
 * not pass through it. {@code AeronIpc serve SIZE} prints the number of its folder; {@code AeronIpc NUMBER SIZE} and the arguments of {@link Timed} measure:
 * {@code -Daeron.work=rate} one way, {@code ping-pong} to and fro. Both ends spin.
 */
public final class AeronIpc {
    private static final String CHANNEL = CommonContext.IPC_CHANNEL;
    private static final int THERE = 10;
    private static final int BACK = 11;
    private static final int TERM_LENGTH = 1 << 22;
    private static final int MOST_SAMPLES = 1 << 24;
    private static final boolean PING_PONG = System.getProperty("aeron.work", "rate").equals("ping-pong");

    private final Publication out;
    private final Subscription in;
    private final int size;
    private final BufferClaim claim = new BufferClaim();
    private final FragmentHandler onFragment = (buffer, offset, length, header) -> last = buffer.getByte(offset);
    private byte last;
    /** Of round trips. */
    private final int[] nanos = new int[PING_PONG ? MOST_SAMPLES : 0];

    private AeronIpc(Aeron aeron, int size, int outbound, int inbound) {
        this.size = size;
        out = aeron.addPublication(CHANNEL, outbound);
        in = aeron.addSubscription(CHANNEL, inbound);
        while (!out.isConnected() || !in.isConnected()) {
            Thread.onSpinWait();
        }
    }

    /** Is either end. */
    public static void main(String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[1]);
        if (arguments[0].equals("serve")) {
            long number = ProcessHandle.current().pid();
            SleepingMillisIdleStrategy sleeping = new SleepingMillisIdleStrategy(1);
            MediaDriver.Context context = new MediaDriver.Context().aeronDirectoryName(folder(number)).dirDeleteOnStart(true)
                    .dirDeleteOnShutdown(true).threadingMode(ThreadingMode.SHARED).sharedIdleStrategy(sleeping)
                    .ipcTermBufferLength(TERM_LENGTH);
            try (MediaDriver driver = MediaDriver.launch(context);
                    Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName()))) {
                Timed.listening(number);
                new AeronIpc(aeron, size, BACK, THERE).serve();
            }
            return;
        }
        try (Aeron aeron = aeron(Long.parseLong(arguments[0]))) {
            AeronIpc active = new AeronIpc(aeron, size, THERE, BACK);
            Timed timed = new Timed(arguments);
            if (PING_PONG) {
                timed.warmUp(active::pingPong);
                Timed.Figures figures = active.pingPong(timed.seconds());
                timed.print(figures, size, "p99Micros", active.nanos[(int) (figures.messages() * 0.99)] / 2e3);
            } else {
                timed.measure(size, () -> active.send((byte) 0), () -> active.roundTrip());
            }
        } finally {
            // The server is killed once this has ended.
            IoUtil.delete(new File(folder(Long.parseLong(arguments[0]))), true);
        }
    }

    private static String folder(long number) {
        return Path.of("/dev/shm", "aeron-compare-" + number).toString();
    }

    private static Aeron aeron(long number) {
        return Aeron.connect(new Aeron.Context().aeronDirectoryName(folder(number)));
    }

    private void send(byte mark) {
        while (out.tryClaim(size, claim) <= 0) {
            Thread.onSpinWait();
        }
        claim.buffer().putByte(claim.offset(), mark);
        claim.commit();
    }

    private boolean receive() {
        return in.poll(onFragment, 256) > 0;
    }

    private void roundTrip() {
        send((byte) 1);
        while (!receive()) {
            Thread.onSpinWait();
        }
    }

    /** Answers messages that begin with a 1, until the peer has left. */
    private void serve() {
        while (in.isConnected()) {
            if (receive() && last == 1) {
                last = 0;
                send((byte) 1);
            }
        }
    }

    /** Leaves the samples in order. */
    private Timed.Figures pingPong(double seconds) {
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        int count = 0;
        long before = begin;
        do {
            roundTrip();
            long after = System.nanoTime();
            nanos[count++] = (int) Math.min(Integer.MAX_VALUE, after - before);
            before = after;
        } while (before < end && count < MOST_SAMPLES);
        Arrays.sort(nanos, 0, count);
        return new Timed.Figures(count, (before - begin) / 1e9, nanos[count / 2] / 2e3);
    }
}
