package org.panamaverbs.ddp.socket;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.ddp.ddpp.DatagramReceiver;
import org.panamaverbs.ddp.ddpp.Ddpp;
import org.panamaverbs.ddp.ddpp.Drop;
import org.panamaverbs.ddp.ddpp.SourceTable;
import org.panamaverbs.ddp.socket.protocol.SocketCounters;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.DatagramHead;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.InboundDatagrams;

/**
 * Receives datagrams at a port, and has them placed. Short ones come many at a time into memory of the intake, and are copied to their
 * places. If long ones are coming, the intake peeks at the header of each first, and has the system put the payload into its place. Nothing
 * is placed by prediction: a datagram that does not belong to a buffer would be in it before the check.
 */
final class DatagramIntake {
    private static final int SLOTS = 16;
    /** From this mean length on, the second system call for a datagram costs less than the copy. */
    private static final int LONG_DATAGRAM = 16 * 1024;
    /** The most datagrams that are peeked at in one turn. */
    private static final int PEEKS = 64;

    private final DatagramPort port;
    private final Client client;
    private final SocketCounters counters;
    private final DatagramReceiver receiver;
    private final InboundDatagrams batch;
    private final DatagramHead head;
    private final IoVector place = new IoVector(1);
    private long truncated;

    DatagramIntake(SegmentAllocator memory, DatagramPort port, Client client, SocketCounters counters, SourceTable sources) {
        this.batch = new InboundDatagrams(memory, SLOTS, InboundDatagrams.WHOLE);
        this.head = new DatagramHead(memory, Ddpp.DECORATED_SIZE);
        this.port = port;
        this.client = client;
        this.counters = counters;
        this.receiver = new DatagramReceiver(client, counters, sources);
    }

    /** Receives the datagrams that are there, up to the budget of one turn; {@code true} if there may be more. */
    boolean receive() {
        return port.canPeek() && batch.meanLength() >= LONG_DATAGRAM ? receiveLong() : receiveBatch();
    }

    private boolean receiveBatch() {
        int count = port.receive(batch);
        for (int i = 0; i < count; i++) {
            client.source(batch.source(i));
            receiver.onMessage(batch.memory(), batch.offset(i), batch.length(i), batch.sources(), batch.sourceOffset(i),
                    batch.sourceLength(i));
        }
        if (batch.truncated() != truncated) {
            counters.onTruncated(batch.truncated() - truncated);
            truncated = batch.truncated();
        }
        return count > 0 && !batch.hasFreeSlot();
    }

    private boolean receiveLong() {
        for (int i = 0; i < PEEKS; i++) {
            int found = port.peek(head);
            if (found <= 0) {
                return false;
            }
            if (!takeStraight()) {
                return receiveBatch();
            }
        }
        return true;
    }

    /** Takes the datagram at the head straight to its place; {@code false} if it must be received with others. */
    private boolean takeStraight() {
        MemorySegment header = head.memory();
        if (!head.isTakeable() || Ddpp.kind(header, 0) != Ddpp.DECORATED) {
            return false;
        }
        client.source(head.source());
        Drop drop = receiver.begin(header, 0, head.length(), head.rawSource(), 0, head.sourceLength());
        if (drop != Drop.NONE) {
            // It is counted already.
            port.discard(head);
            return true;
        }
        place.clear();
        if (!receiver.target().isRegistered() || receiver.target().describe(place, receiver.payload()) < receiver.payload()) {
            return false;
        }
        if (!place.enter()) {
            receiver.onBadMemory();
            return true;
        }
        int count;
        try {
            count = port.take(head, place.segment(0), place.offset(0));
        } finally {
            place.exit();
        }
        if (count == receiver.payload()) {
            receiver.target().advance(count);
            receiver.end();
        } else {
            receiver.onBadMemory();
        }
        return true;
    }
}
