package org.panamaverbs.softiwarp.faults;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Two network namespaces, and a link between them that loses, delays, reorders and repeats frames, and can be cut. */
final class FaultyLink implements Place {
    /** The addresses of the two ends. */
    private static final String[] ADDRESSES = { "10.77.0.1", "10.77.0.2" };
    private static final int MOST_DELAYED = 4096;
    private static final long DOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /**
     * The fate of the frames of both directions.
     *
     * @param lost        the share of frames that are dropped
     * @param repeated    the share of frames that arrive twice
     * @param late        the share of frames that are delayed by {@code lateMicros} more, so that others overtake them
     * @param delayMicros the delay of every frame
     * @param lateMicros  see {@code late}
     */
    record Weather(double lost, double repeated, double late, int delayMicros, int lateMicros) {
        static final Weather FINE = new Weather(0, 0, 0, 0, 0);
    }

    private final String[] interfaces = new String[2];
    private final String[] namespaces = new String[2];
    private final Direction[] directions = new Direction[2];
    private volatile Weather weather = Weather.FINE;

    FaultyLink() throws IOException {
        Tap[] taps = new Tap[2];
        for (int i = 0; i < 2; i++) {
            // At most 15 characters, and of this process: several runs may go on at a time.
            interfaces[i] = "pvf" + ProcessHandle.current().pid() + "-" + i;
            namespaces[i] = interfaces[i];
            taps[i] = Tap.open(interfaces[i]);
            run("ip", "netns", "add", namespaces[i]);
            run("ip", "link", "set", interfaces[i], "netns", namespaces[i]);
            run("ip", "-n", namespaces[i], "addr", "add", ADDRESSES[i] + "/24", "dev", interfaces[i]);
            run("ip", "-n", namespaces[i], "link", "set", "lo", "up");
            run("ip", "-n", namespaces[i], "link", "set", interfaces[i], "up");
        }
        for (int i = 0; i < 2; i++) {
            directions[i] = new Direction(taps[i], taps[1 - i]);
            directions[i].start();
        }
    }

    @Override
    public String address(int end) {
        return ADDRESSES[end];
    }

    @Override
    public String transport() {
        return "epoll";
    }

    @Override
    public String[] within(int end) {
        return new String[] { "ip", "netns", "exec", namespaces[end] };
    }

    /** Changes what happens to frames from now on, with chances that follow from the seed. */
    void weather(Weather next, long seed) {
        for (int i = 0; i < 2; i++) {
            directions[i].seed(seed + i);
        }
        weather = next;
    }

    /** Drops all frames that one end sends, or no longer. */
    void drop(int from, boolean all) {
        directions[from].cut = all;
    }

    /** Turns the interface of one end off or on. */
    void interfaceOf(int end, boolean up) throws IOException {
        run("ip", "-n", namespaces[end], "link", "set", interfaces[end], up ? "up" : "down");
    }

    @Override
    public void mend() throws IOException {
        weather = Weather.FINE;
        for (int i = 0; i < 2; i++) {
            drop(i, false);
            interfaceOf(i, true);
        }
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException(String.join(" ", command) + ": " + said.strip());
        }
    }

    @Override
    public void close() throws IOException {
        for (String namespace : namespaces) {
            run("ip", "netns", "del", namespace);
        }
    }

    /** A frame that is delayed. */
    private record Delayed(long due, long number, byte[] bytes) implements Comparable<Delayed> {
        @Override
        public int compareTo(Delayed other) {
            int byTime = Long.compare(due - other.due, 0);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    /** One direction of the cable. */
    private final class Direction {
        private final Tap from;
        private final Tap to;
        private volatile boolean cut;
        private final PriorityQueue<Delayed> delayed = new PriorityQueue<>();
        private SplittableRandom random = new SplittableRandom(0);
        private long number;
        private final Thread deliverer = Thread.ofPlatform().daemon().unstarted(this::deliver);

        Direction(Tap from, Tap to) {
            this.from = from;
            this.to = to;
        }

        void start() {
            Thread.ofPlatform().daemon().start(this::forward);
            deliverer.start();
        }

        synchronized void seed(long seed) {
            random = new SplittableRandom(seed);
            delayed.clear();
        }

        private void forward() {
            MemorySegment frame = Arena.ofAuto().allocate(Tap.FRAME);
            while (true) {
                long length = from.read(frame);
                if (length <= 0) {
                    LockSupport.parkNanos(DOWN_NANOS);
                } else if (!cut) {
                    forward(frame, length);
                }
            }
        }

        private void forward(MemorySegment frame, long length) {
            Weather now = weather;
            if (now == Weather.FINE) {
                to.write(frame, length);
                return;
            }
            synchronized (this) {
                if (random.nextDouble() < now.lost() || delayed.size() >= MOST_DELAYED) {
                    return;
                }
                int copies = random.nextDouble() < now.repeated() ? 2 : 1;
                for (int i = 0; i < copies; i++) {
                    long micros = now.delayMicros() + (random.nextDouble() < now.late() ? now.lateMicros() : 0);
                    delayed.add(new Delayed(System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros), number++,
                            frame.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE)));
                }
            }
            LockSupport.unpark(deliverer);
        }

        private void deliver() {
            MemorySegment frame = Arena.ofAuto().allocate(Tap.FRAME);
            while (true) {
                Delayed next;
                long wait;
                synchronized (this) {
                    next = delayed.peek();
                    wait = next == null ? -1 : next.due() - System.nanoTime();
                    if (next != null && wait <= 0) {
                        delayed.poll();
                    }
                }
                if (next == null) {
                    LockSupport.park(this);
                } else if (wait > 0) {
                    LockSupport.parkNanos(this, wait);
                } else if (!cut) {
                    MemorySegment.copy(next.bytes(), 0, frame, ValueLayout.JAVA_BYTE, 0, next.bytes().length);
                    to.write(frame, next.bytes().length);
                }
            }
        }
    }
}
