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
import java.util.Locale;
import org.agrona.IoUtil;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

/**
 * Messages of Aeron over shared memory between two processes, of which the server has the media driver, as a thread that sleeps: messages do
 * not pass through it. {@code AeronIpc serve SIZE} prints the number of its folder; {@code AeronIpc NUMBER SIZE WARM_UP SECONDS} measures:
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
                System.out.println("listening on " + number);
                new AeronIpc(aeron, size, BACK, THERE).serve();
            }
            return;
        }
        try (Aeron aeron = aeron(Long.parseLong(arguments[0]))) {
            AeronIpc active = new AeronIpc(aeron, size, THERE, BACK);
            double warmUp = Double.parseDouble(arguments[2]);
            double seconds = Double.parseDouble(arguments[3]);
            if (PING_PONG) {
                active.pingPong(warmUp, seconds);
            } else {
                Timed.print(size, warmUp, seconds, () -> active.send((byte) 0), () -> active.roundTrip());
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

    private void pingPong(double warmUp, double seconds) {
        int[] nanos = new int[MOST_SAMPLES];
        long begin = System.nanoTime() + (long) (warmUp * 1e9);
        long end = begin + (long) (seconds * 1e9);
        int count = 0;
        long before = System.nanoTime();
        while (before < end && count < MOST_SAMPLES) {
            roundTrip();
            long after = System.nanoTime();
            if (before >= begin) {
                nanos[count++] = (int) Math.min(Integer.MAX_VALUE, after - before);
            }
            before = after;
        }
        Arrays.sort(nanos, 0, count);
        System.out.printf(Locale.ROOT,
                "{\"messages\":%d,\"bytesPerSecond\":%.1f,\"messagesPerSecond\":%.1f,\"p50Micros\":%.3f,\"p99Micros\":%.3f}%n", count,
                count * size / seconds, count / seconds, nanos[count / 2] / 2e3, nanos[count * 99 / 100] / 2e3);
    }
}
