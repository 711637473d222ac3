package org.panamaverbs.tools.cast;

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
    /** Ends of connections that are told; a peer cannot fill the terminal. */
    private static final int MOST_LINES = 16;

    private final CatchPlan plan;
    private final Arrivals arrivals;
    private final DdpListener listener;
    private final Reception reception;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final List<DdpSocket> connections = new ArrayList<>();
    private DdpCounters ended = new DdpCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
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
        plan.say().accept(Service.LISTENING + plan.url().at(listener.address()));
    }

    CatchPlan.Caught run() {
        Thread.ofVirtual().start(this::accept);
        while (true) {
            Event event = next();
            long now = System.nanoTime();
            observe(now);
            while (event != null) {
                take(now, event);
                event = events.poll();
            }
            if (reception.isOver(now)) {
                listener.close();
                connections.forEach(this::count);
                connections.forEach(DdpSocket::close);
                return new CatchPlan.Caught(reception.isNotified(), ended, null, 0);
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

    private void observe(long now) {
        long count = arrivals.count();
        if (count != seen) {
            seen = count;
            reception.onPlaced(now);
            plan.progress().accept(plan.file().size() - arrivals.holes().missing());
        }
    }

    private void take(long now, Event event) {
        switch (event) {
            case Accepted accepted -> {
                makeRoom();
                connections.add(accepted.socket());
                Thread.ofVirtual().start(() -> follow(accepted.socket()));
            }
            case Notified _ -> reception.onNotification(now);
            case Ended end -> {
                if (connections.remove(end.socket())) {
                    count(end.socket());
                    end.socket().close();
                    tell(end);
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
            count(socket);
            socket.close();
        });
    }

    private void tell(Ended end) {
        if (reception.isNotified() && arrivals.holes().missing() == 0 || lines > MOST_LINES) {
            return;
        }
        lines++;
        String peer = end.socket().remoteAddress().map(HostPort::text).orElse("a peer");
        String how = end.failure() == null ? " has ended the connection" : ": " + end.failure().getMessage();
        plan.say().accept(lines > MOST_LINES ? "more connections have ended; they are not listed"
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

    private void count(DdpSocket socket) {
        DdpCounters its = socket.counters();
        ended = new DdpCounters(ended.messagesSent() + its.messagesSent(), ended.bytesSent() + its.bytesSent(),
                ended.partsSent() + its.partsSent(), ended.partsReceived() + its.partsReceived(), ended.bytesPlaced() + its.bytesPlaced(),
                ended.indications() + its.indications(), ended.malformed() + its.malformed(), ended.unknownStags() + its.unknownStags(),
                ended.outOfBounds() + its.outOfBounds(), ended.late() + its.late(), ended.withoutReceive() + its.withoutReceive(),
                ended.tooLong() + its.tooLong(), ended.refusedByBuffers() + its.refusedByBuffers());
    }

    /** For tests: where it listens. */
    InetSocketAddress address() {
        return listener.address();
    }
}
