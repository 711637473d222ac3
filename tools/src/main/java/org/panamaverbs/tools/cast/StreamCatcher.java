package org.panamaverbs.tools.cast;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.ddp.DdpGroup;
import org.panamaverbs.ddp.DdpListener;
import org.panamaverbs.ddp.DdpSocket;
import org.panamaverbs.ddp.Indication;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Service;

/**
 * Catches a file from connections: several at a time, and one after another. The octets that a connection brought count, however it
 * ended. One thread runs it; another one accepts, and each connection has a virtual thread that waits for its notification.
 */
// Tested by CastCommandTest.
final class StreamCatcher {
    private static final int MOST_CONNECTIONS = 64;
    /** The most ends of connections that are printed; a peer cannot fill the terminal. */
    private static final int MOST_LINES = 16;

    private final CatchPlan plan;
    private final Arrivals arrivals;
    private final DdpListener listener;
    private final Reception reception;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final List<DdpSocket> connections = new ArrayList<>();
    private DdpCounters ended = new DdpCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    private final MemorySegment holes = Arena.ofAuto().allocate(RepairMessage.MOST, Long.BYTES);
    private long seen;
    private int lines;

    /** Takes the reports of the connections' threads and of the accepting one. */
    private sealed interface Event {
    }

    private record Accepted(DdpSocket socket) implements Event {
    }

    private record Notified() implements Event {
    }

    /** @param failure {@code null} if the peer has ended the connection in good order */
    private record Ended(DdpSocket socket, RuntimeException failure) implements Event {
    }

    private record Broken(RuntimeException failure) implements Event {
    }

    /** @param group on which the file is registered already */
    StreamCatcher(DdpContext context, DdpGroup group, CatchPlan plan, Arrivals arrivals) {
        this.plan = plan;
        this.arrivals = arrivals;
        listener = context.listen(group, plan.url().transport(), plan.url().address(), plan.options());
        reception = new Reception(arrivals.holes(), false, plan.idle());
        plan.console().say(Service.LISTENING + plan.url().at(listener.address()));
    }

    CatchPlan.Caught run() {
        Thread.ofVirtual().start(this::accept);
        while (true) {
            Event event = next();
            long nanoTime = System.nanoTime();
            observe(nanoTime);
            while (event != null) {
                take(nanoTime, event);
                event = events.poll();
            }
            DdpCounters counters = counters();
            plan.console().observe(counters);
            if (reception.isOver(nanoTime) || plan.console().isInterrupted()) {
                listener.close();
                connections.forEach(DdpSocket::close);
                return new CatchPlan.Caught(reception.isNotified(), counters, null, 0);
            }
        }
    }

    private Event next() {
        try {
            return events.poll(CatchPlan.TICK, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClosedException("interrupted");
        }
    }

    private void observe(long nanoTime) {
        long count = arrivals.count();
        if (count != seen) {
            seen = count;
            reception.onPlaced(nanoTime);
            plan.console().at(plan.file().size() - arrivals.holes().missing());
        }
    }

    private void take(long nanoTime, Event event) {
        switch (event) {
            case Accepted accepted -> {
                makeRoom();
                connections.add(accepted.socket());
                Thread.ofVirtual().start(() -> follow(accepted.socket()));
            }
            case Notified _ -> reception.onNotification(nanoTime);
            case Ended end -> {
                if (connections.remove(end.socket())) {
                    ended = plus(ended, end.socket().counters());
                    if (!isWhole()) {
                        answer(end.socket());
                        tell(end);
                    }
                    end.socket().close();
                }
            }
            case Broken broken -> throw broken.failure();
        }
    }

    /** Ends the connection that has brought the least, the oldest of those: a peer that only connects cannot keep others out. */
    private void makeRoom() {
        if (connections.size() < MOST_CONNECTIONS) {
            return;
        }
        Optional<DdpSocket> least = connections.stream().min(Comparator.comparingLong(each -> each.counters().bytesPlaced()));
        least.ifPresent(socket -> {
            connections.remove(socket);
            ended = plus(ended, socket.counters());
            socket.close();
        });
    }

    private boolean isWhole() {
        return reception.isNotified() && arrivals.holes().missing() == 0;
    }

    /** Says to a sender that ends the connection that its file is not here. */
    private void answer(DdpSocket sender) {
        try {
            sender.send(holes, 0, RepairMessage.putHoles(holes, arrivals.holes()));
        } catch (VerbsException e) {
            // It has left.
        }
    }

    private void tell(Ended end) {
        if (lines > MOST_LINES) {
            return;
        }
        lines++;
        String peer = end.socket().remoteAddress().map(HostPort::text).orElse("a peer");
        String how = end.failure() == null ? " has ended the connection" : ": " + end.failure().getMessage();
        plan.console().say(lines > MOST_LINES ? "more connections have ended; they are not listed"
                : peer + how + "; " + arrivals.holes().missing() + " octets are missing; listening on");
    }

    private void accept() {
        while (true) {
            try {
                events.add(new Accepted(listener.accept(Verbs.FOREVER)));
            } catch (ClosedException e) {
                return;
            } catch (RuntimeException e) {
                events.add(new Broken(e));
                return;
            }
        }
    }

    /** Waits for the notification and the end of a connection. */
    private void follow(DdpSocket socket) {
        Indication indication = socket.newIndication();
        RuntimeException failure = null;
        try {
            boolean open = true;
            while (open) {
                if (!socket.receive(indication, Duration.ofSeconds(1))) {
                    continue;
                }
                switch (indication.kind()) {
                    case NOTIFICATION -> {
                        if (indication.messageId() == plan.id()) {
                            events.add(new Notified());
                        }
                    }
                    case ERROR -> {
                        failure = indication.failure();
                        open = false;
                    }
                    case END -> open = false;
                    default -> {
                        // No receive is posted.
                    }
                }
            }
        } catch (VerbsException e) {
            failure = e;
        }
        events.add(new Ended(socket, failure));
    }

    /** Of all connections so far. */
    private DdpCounters counters() {
        DdpCounters sum = ended;
        for (DdpSocket socket : connections) {
            sum = plus(sum, socket.counters());
        }
        return sum;
    }

    private static DdpCounters plus(DdpCounters one, DdpCounters its) {
        return new DdpCounters(one.messagesSent() + its.messagesSent(), one.bytesSent() + its.bytesSent(),
                one.partsSent() + its.partsSent(), one.partsReceived() + its.partsReceived(), one.bytesPlaced() + its.bytesPlaced(),
                one.indications() + its.indications(), one.malformed() + its.malformed(), one.unknownStags() + its.unknownStags(),
                one.outOfBounds() + its.outOfBounds(), one.late() + its.late(), one.withoutReceive() + its.withoutReceive(),
                one.tooLong() + its.tooLong(), one.refusedByBuffers() + its.refusedByBuffers());
    }

    /** For tests: where it listens. */
    InetSocketAddress address() {
        return listener.address();
    }
}
