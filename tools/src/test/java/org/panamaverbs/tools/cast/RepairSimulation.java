package org.panamaverbs.tools.cast;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/** One sender and many receivers over a network that loses and reorders, in one thread, by its own clock. */
final class RepairSimulation {
    static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
    static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    static final int PAYLOAD = 1000;
    private static final InetSocketAddress SENDER = new InetSocketAddress(1);
    private static final long IDLE = 10 * SECOND;
    private static final int MOST_EVENTS = 20_000_000;

    final Random random;
    final RepairSender sender;
    final List<Receiver> receivers = new ArrayList<>();
    final byte[] file;
    final int checksum;
    long now = Long.MAX_VALUE - 3 * SECOND; // The clock runs over on the way.
    final long begin = now;
    boolean senderHasEnded;
    /** How much later than another a message may arrive that was sent with it. */
    long jitter = MILLISECOND / 5;
    long dataSent;
    /** Loses messages besides those that the loss takes. */
    Filter filter = (toSender, kind) -> false;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long sequence;
    private long senderStepAt;
    private boolean waits;
    private long waitsUntil;
    private final MemorySegment scratch = Arena.ofAuto().allocate(RepairMessage.MOST);

    interface Filter {
        boolean loses(boolean toSender, byte kind);
    }

    private record Event(long time, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int order = Long.compare(time - other.time, 0);
            return order != 0 ? order : Long.compare(number, other.number);
        }
    }

    RepairSimulation(long seed, int size, int least) {
        random = new Random(seed);
        file = new byte[size];
        random.nextBytes(file);
        CRC32C crc = new CRC32C();
        crc.update(file);
        checksum = (int) crc.getValue();
        sender = new RepairSender(size, least);
    }

    final class Receiver {
        final InetSocketAddress address;
        final double loss;
        final byte[] bytes;
        final Holes holes;
        final RepairReceiver machine;
        boolean alive;
        boolean over;
        private boolean checking;
        private long stepAt;
        private boolean scheduled;

        Receiver(int port, double loss, int size) {
            address = new InetSocketAddress(port);
            this.loss = loss;
            bytes = new byte[size];
            holes = new Holes(size);
            machine = new RepairReceiver(holes, IDLE);
        }

        private void onData(int offset, int length, boolean last) {
            if (!alive || over || offset > bytes.length - length) {
                return;
            }
            System.arraycopy(file, offset, bytes, offset, length);
            if (length > 0) {
                holes.fill(offset, length);
                machine.onPlaced(now, SENDER);
            }
            if (last) {
                machine.onNotification(now, SENDER);
            }
            step();
        }

        private void onEnd(MemorySegment message) {
            if (alive && !over) {
                machine.onEnd(SENDER, message);
                step();
            }
        }

        private void step() {
            if (over || !alive || machine.target() == null) {
                return;
            }
            if (holes.missing() == 0 && !checking) {
                checking = true;
                at(now + 5 * MILLISECOND, () -> {
                    CRC32C crc = new CRC32C();
                    crc.update(bytes);
                    machine.onChecked(now, (int) crc.getValue());
                    step();
                });
            }
            int length = machine.pollReport(now, scratch);
            if (length > 0) {
                byte[] report = scratch.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
                if (!filter.loses(true, report[0]) && random.nextDouble() >= loss) {
                    at(now + delay(), () -> toSender(address, report));
                }
            }
            over = machine.isOver(now);
            if (!over) {
                long deadline = machine.deadline() - now < 0 ? now + MILLISECOND : machine.deadline();
                if (!scheduled || deadline - stepAt < 0) {
                    scheduled = true;
                    stepAt = deadline;
                    at(deadline, () -> {
                        scheduled = false;
                        step();
                    });
                }
            }
        }

        boolean isExact() {
            return Arrays.equals(bytes, file);
        }
    }

    Receiver add(double loss) {
        Receiver receiver = new Receiver(1000 + receivers.size(), loss, file.length);
        receiver.alive = true;
        receivers.add(receiver);
        return receiver;
    }

    void at(long time, Runnable action) {
        events.add(new Event(time, sequence++, action));
    }

    private long delay() {
        return MILLISECOND / 5 + random.nextLong(jitter + 1);
    }

    void toSender(InetSocketAddress source, byte[] message) {
        if (!senderHasEnded) {
            sender.onReport(now, source, MemorySegment.ofArray(message));
            senderStep();
        }
    }

    private void senderStep() {
        if (senderHasEnded || senderStepAt - now > 0) {
            return;
        }
        switch (sender.poll(now)) {
            case SEND -> {
                sender.onChecked(checksum);
                sender.take(now, PAYLOAD);
                dataSent += sender.pieceLength();
                int offset = (int) sender.pieceOffset();
                int length = (int) sender.pieceLength();
                boolean last = sender.pieceIsLast();
                toAll((byte) 0, receiver -> receiver.onData(offset, length, last));
                senderStepAt = now + MILLISECOND / 100;
                at(senderStepAt, this::senderStep);
            }
            case PROMPT -> {
                toAll((byte) 0, receiver -> receiver.onData(0, 0, true));
                at(now, this::senderStep);
            }
            case WAIT -> {
                long until = sender.deadline() - now <= 0 ? now + MILLISECOND / 10 : sender.deadline();
                if (!waits || until - waitsUntil < 0) {
                    waits = true;
                    waitsUntil = until;
                    at(until, () -> {
                        waits = false;
                        senderStep();
                    });
                }
            }
            case END -> {
                MemorySegment end = Arena.ofAuto().allocate(8);
                int length = RepairMessage.putChecksum(end, RepairMessage.END, checksum);
                for (int i = 0; i < 3; i++) {
                    toAll(RepairMessage.END, receiver -> receiver.onEnd(end.asSlice(0, length)));
                }
                senderHasEnded = true;
            }
        }
    }

    private void toAll(byte kind, java.util.function.Consumer<Receiver> message) {
        for (Receiver receiver : receivers) {
            if (!filter.loses(false, kind) && random.nextDouble() >= receiver.loss) {
                at(now + delay(), () -> message.accept(receiver));
            }
        }
    }

    /** Runs until the sender has ended and nothing is left to happen. */
    void run() {
        at(now, this::senderStep);
        for (int i = 0; !events.isEmpty(); i++) {
            if (i == MOST_EVENTS) {
                throw new AssertionError("it goes on and on, after " + (now - begin) / SECOND + " s");
            }
            Event event = events.poll();
            now = event.time();
            event.action().run();
        }
    }

    double seconds() {
        return (double) (now - begin) / SECOND;
    }
}
