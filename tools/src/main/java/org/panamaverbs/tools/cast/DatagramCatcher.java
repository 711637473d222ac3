package org.panamaverbs.tools.cast;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.panamaverbs.SystemException;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.ddp.DdpDatagramSocket;
import org.panamaverbs.ddp.DdpGroup;
import org.panamaverbs.ddp.Indication;
import org.panamaverbs.tools.files.Checksum;
import org.panamaverbs.tools.shared.Service;

/** Catches a file from datagrams; with repair, reports to the sender what is missing. One thread. */
final class DatagramCatcher {
    private static final int ENDS = 64;
    private static final long PIECE = 4 << 20;

    private final CatchPlan plan;
    private final Arrivals arrivals;
    private final DdpDatagramSocket socket;
    private final Indication indication;
    private final Reception reception;
    /** These are {@code null} without repair. */
    private final RepairReceiver repair;
    private final Untagged ends;
    private final DdpDatagramSocket reporting;
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment report = arena.allocate(RepairMessage.MOST, Long.BYTES);
    private final Checksum checksum = new Checksum();
    private long checked;
    private boolean isChecked;
    private long seen;

    /** @param group on which the file is registered already */
    DatagramCatcher(DdpContext context, DdpGroup group, CatchPlan plan, Arrivals arrivals) {
        this.plan = plan;
        this.arrivals = arrivals;
        socket = context.bind(group, plan.url().address(), plan.options());
        indication = socket.newIndication();
        reception = new Reception(arrivals.holes(), true, plan.idle());
        repair = plan.repair() ? new RepairReceiver(arrivals.holes(), plan.idle()) : null;
        ends = plan.repair() ? new Untagged(group, arena, ENDS, Long.BYTES) : null;
        reporting = plan.repair() && plan.url().isGroup()
                ? context.bind(context.newGroup(), new InetSocketAddress(wildcard(plan.url().address().getAddress()), 0), plan.options())
                : socket;
        plan.console().say(Service.LISTENING + plan.url().at(socket.localAddress()));
    }

    /** Receivers on one machine share a group's port; so each reports from a port of its own, and the sender can tell them apart. */
    private static InetAddress wildcard(InetAddress group) {
        try {
            return InetAddress.getByAddress(new byte[group instanceof Inet6Address ? 16 : 4]);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    CatchPlan.Caught run() throws IOException {
        while (true) {
            boolean indicated = isBusy() ? socket.poll(indication) : socket.receive(indication, Duration.ofNanos(pause()));
            long nanoTime = System.nanoTime();
            observe(nanoTime);
            while (indicated) {
                take(nanoTime);
                indicated = socket.poll(indication);
            }
            plan.console().observe(socket.counters());
            if ((repair == null ? reception.isOver(nanoTime) : moveRepair(nanoTime)) || plan.console().isInterrupted()) {
                return new CatchPlan.Caught(reception.isNotified(), socket.counters(), repair, checksum.value());
            }
        }
    }

    /** Sees what was placed since the last time: all that a notification which is taken afterwards speaks of. */
    private void observe(long nanoTime) {
        long count = arrivals.count();
        if (count == seen) {
            return;
        }
        seen = count;
        reception.onPlaced(nanoTime);
        if (repair != null && arrivals.source() != null) {
            repair.onPlaced(nanoTime, arrivals.source());
        }
        plan.console().at(plan.file().size() - arrivals.holes().missing());
    }

    private void take(long nanoTime) {
        if (indication.kind() == Indication.Kind.NOTIFICATION && indication.messageId() == plan.id()) {
            reception.onNotification(nanoTime);
            if (repair != null) {
                repair.onNotification(nanoTime, indication.source());
            }
        } else if (indication.kind() == Indication.Kind.MESSAGE && repair != null) {
            MemorySegment message = ends.message(indication);
            if (RepairMessage.kind(message) == RepairMessage.END) {
                repair.onEnd(indication.source(), message);
            }
            ends.release(indication);
        } else if (indication.kind() == Indication.Kind.ERROR) {
            throw indication.failure();
        }
    }

    private long pause() {
        long deadline = repair == null ? reception.deadline() : repair.deadline();
        return !hasBegun() ? CatchPlan.TICK : Math.clamp(deadline - System.nanoTime(), 0, CatchPlan.TICK);
    }

    private boolean hasBegun() {
        return seen > 0 || reception.isNotified();
    }

    /** Whether a part of the file waits for its checksum. */
    private boolean isBusy() {
        return repair != null && !isChecked && hasBegun()
                && arrivals.holes().prefix() - checked >= Math.min(PIECE, plan.file().size() - checked);
    }

    /** @return whether the repair is over */
    private boolean moveRepair(long nanoTime) throws IOException {
        // The beginning of the file is checked while the rest still comes.
        if (isBusy()) {
            long length = Math.min(PIECE, plan.file().size() - checked);
            plan.file().addTo(checksum, checked, length);
            checked += length;
            if (checked == plan.file().size()) {
                isChecked = true;
                repair.onChecked(nanoTime, checksum.value());
            }
        }
        int length = repair.pollReport(nanoTime, report);
        if (length > 0) {
            try {
                reporting.send(repair.target(), report, 0, length);
            } catch (SystemException e) {
                // The network may come back; if it does not, the sender is silent, and that ends the repair.
            }
        }
        return repair.isOver(nanoTime);
    }
}
