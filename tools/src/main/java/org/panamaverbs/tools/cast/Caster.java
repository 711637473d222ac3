package org.panamaverbs.tools.cast;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.panamaverbs.SystemException;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.ddp.DdpGroup;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpSocket;
import org.panamaverbs.ddp.Indication;
import org.panamaverbs.tools.files.Checksum;
import org.panamaverbs.tools.files.MappedFile;
import org.panamaverbs.tools.shared.Failure;

/** Sends a mapped file: once, and with repair until the receivers are whole. One thread uses it, and then closes it. */
// Tested by CastCommandTest, CastOverNetworkTest.
final class Caster implements AutoCloseable {
    private static final int REPORTS = 256;
    private static final int ENDS = 3;
    private static final long STREAM_PIECE = 1 << 20;
    /** How many pieces a second a limited rate makes, if they are not to be shorter than a datagram. */
    private static final long PIECES_PER_SECOND = 2000;

    private final Plan plan;
    private final MappedFile file;
    private final DdpSocket socket;
    private final Indication indication;
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment message = arena.allocate(RepairMessage.MOST, Long.BYTES);
    /** {@code null} if nothing says what arrived: over datagrams without repair. */
    private final Untagged reports;
    private final RepairSender sender;
    private final Checksum checksum = new Checksum();
    private final Pacer pacer;

    /**
     * The content to send, and its receiver.
     *
     * @param url             the destination
     * @param stag            of the file there
     * @param id              of the notification
     * @param options         of the socket
     * @param octetsPerSecond {@link Long#MAX_VALUE} for no limit
     * @param repair          whether to listen to receivers
     * @param receivers       with repair: how many to wait for
     * @param patience        how long a peer may do nothing
     */
    record Plan(CastUrl url, int stag, int id, DdpOptions options, long octetsPerSecond, boolean repair, int receivers, Duration patience) {
    }

    Caster(DdpContext context, Plan plan, MappedFile file) {
        this.plan = plan;
        this.file = file;
        DdpGroup group = context.newGroup();
        socket = context.connect(group, plan.url().transport(), plan.url().address(), plan.options().withSendTimeout(plan.patience()),
                plan.patience());
        indication = socket.newIndication();
        reports = plan.repair() ? new Untagged(group, arena, REPORTS, RepairMessage.MOST)
                : plan.url().isDatagrams() ? null : new Untagged(group, arena, 1, RepairMessage.MOST);
        sender = new RepairSender(file.size(), plan.receivers());
        pacer = new Pacer(plan.octetsPerSecond());
    }

    /** Sends all; the consumer gets the number of octets of the first pass are sent. */
    void run(LongConsumer progress) throws IOException {
        long piece = pieceLength();
        do {
            sendPiece(piece);
            progress.accept(sender.pieceOffset() + sender.pieceLength());
            takeReports(Duration.ZERO);
        } while (!sender.pieceIsLast());
        if (plan.repair()) {
            repair(piece);
        } else {
            finishStream();
        }
    }

    /** Datagrams are full except for the last one, and pieces short enough to keep the rate even. */
    private long pieceLength() {
        if (!plan.url().isDatagrams()) {
            return plan.octetsPerSecond() == Long.MAX_VALUE ? STREAM_PIECE : Math.clamp(plan.octetsPerSecond() / 100, 1, STREAM_PIECE);
        }
        long datagram = socket.maximumSizes().tagged();
        return Math.clamp(plan.octetsPerSecond() / PIECES_PER_SECOND / datagram * datagram, datagram, STREAM_PIECE / datagram * datagram);
    }

    private void sendPiece(long most) throws IOException {
        sender.take(System.nanoTime(), most);
        long offset = sender.pieceOffset();
        long length = sender.pieceLength();
        if (plan.repair() && sender.rounds() == 0) {
            file.addTo(checksum, offset, length);
            sender.onChecked(checksum.value());
        }
        pause(pacer.plan(System.nanoTime(), length));
        if (file.isCutShort()) {
            // Zeros would go out for the rest of its last page.
            throw file.unreadable(null);
        }
        try {
            socket.sendDdp(length == 0 ? message : file.memory(), length == 0 ? 0 : offset, length, plan.stag(), offset,
                    sender.pieceIsLast() ? DdpSocket.NOTIFY : 0, plan.id());
        } catch (IllegalStateException e) {
            throw file.unreadable(e);
        }
    }

    private static void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new Failure("interrupted");
            }
        }
    }

    private void repair(long piece) throws IOException {
        while (true) {
            long nanoTime = System.nanoTime();
            switch (sender.poll(nanoTime)) {
                case SEND -> {
                    sendPiece(piece);
                    takeReports(Duration.ZERO);
                }
                case PROMPT -> tryTo(() -> socket.sendDdp(message, 0, 0, plan.stag(), 0, DdpSocket.NOTIFY, plan.id()));
                case WAIT -> takeReports(Duration.ofNanos(Math.max(0, sender.deadline() - nanoTime)));
                case END -> {
                    long length = RepairMessage.putChecksum(message, RepairMessage.END, checksum.value());
                    for (int i = 0; i < ENDS; i++) {
                        tryTo(() -> socket.send(message, 0, length));
                    }
                    return;
                }
            }
        }
    }

    /** Receivers may have left: then the system can refuse to send, and nothing depends on it. */
    private static void tryTo(Runnable send) {
        try {
            send.run();
        } catch (SystemException e) {
            // The next one may get through.
        }
    }

    /** Takes the reports that are there; waits for the first one. */
    private void takeReports(Duration wait) {
        if (!plan.repair()) {
            return;
        }
        boolean taken = wait.isZero() ? socket.poll(indication) : socket.receive(indication, wait);
        for (int i = 0; taken && i < REPORTS; i++) {
            if (indication.kind() == Indication.Kind.MESSAGE) {
                sender.onReport(System.nanoTime(), indication.source(), reports.message(indication));
                reports.release(indication);
            }
            taken = socket.poll(indication);
        }
    }

    /** Waits until the receiver has ended the stream as well: then it has read all. Before that it says if its file is not whole. */
    private void finishStream() {
        if (plan.url().isDatagrams()) {
            return;
        }
        socket.shutdownOutput();
        long end = System.nanoTime() + plan.patience().toNanos();
        while (socket.receive(indication, Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
            if (indication.kind() == Indication.Kind.END) {
                return;
            }
            if (indication.kind() == Indication.Kind.MESSAGE) {
                throw new Failure(Failure.Kind.PEER, plan.url()
                        + " has not got the whole file: compare --stag, --notify and --size of both ends, and see what catch says");
            }
            if (indication.kind() == Indication.Kind.ERROR) {
                throw new Failure(Failure.Kind.PEER, plan.url() + " has ended the connection before it had all: "
                        + indication.failure().getMessage() + "; see what catch says", indication.failure());
            }
        }
        throw new Failure(Failure.Kind.TIMEOUT, plan.url() + " has all but has not ended the connection for " + plan.patience().toSeconds()
                + " s: see what catch says; --timeout sets the limit");
    }

    RepairSender sender() {
        return sender;
    }

    int checksum() {
        return checksum.value();
    }

    DdpCounters counters() {
        return socket.counters();
    }

    @Override
    public void close() {
        socket.close();
    }
}
