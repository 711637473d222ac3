package org.panamaverbs.softiwarp.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A datagram port of a test, its batch, and what the thread of the test received at it. */
public final class PortUnderTest implements AutoCloseable {
    /** Bytes of the header that {@link #fill} writes: the number of the datagram. */
    public static final int HEADER = 20;

    private final Multiplexer multiplexer;
    public final DatagramPort port;
    public final InboundDatagrams in;
    public final OutboundDatagrams out = new OutboundDatagrams(Arena.ofAuto(), 512, HEADER);
    public final List<byte[]> received = new ArrayList<>();
    public boolean readable;
    public boolean writable;

    public PortUnderTest(Multiplexer multiplexer, DatagramBinding binding, InboundDatagrams in) {
        this.multiplexer = multiplexer;
        this.in = in;
        port = multiplexer.bind(binding);
        multiplexer.add(port, this::onReady);
    }

    private void onReady(int events) {
        readable |= (events & Multiplexer.READABLE) != 0;
        writable |= (events & Multiplexer.WRITABLE) != 0;
    }

    /** Adds a datagram with its number in the header, and a payload; the datagram has {@code length} bytes. */
    public void fill(int number, MemorySegment payload, int length) {
        out.headers().asSlice(out.nextHeader(), HEADER).fill((byte) number);
        out.headers().set(ValueLayout.JAVA_INT_UNALIGNED, out.nextHeader(), number);
        out.add(HEADER, payload, number % 100, length - HEADER);
    }

    /** The datagram that {@link #fill} makes. */
    public static byte[] datagram(int number, MemorySegment payload, int length) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[length]);
        bytes.asSlice(0, HEADER).fill((byte) number);
        bytes.set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
        MemorySegment.copy(payload, number % 100, bytes, HEADER, length - HEADER);
        return bytes.toArray(ValueLayout.JAVA_BYTE);
    }

    /** Sends all of the batch. */
    public void sendTo(InetSocketAddress to) {
        while (!out.isEmpty()) {
            writable = false;
            int taken = port.send(to, out);
            assertTrue(taken >= 0, () -> "send returned " + taken + ": " + port.failure());
            while (taken == 0 && !writable) {
                multiplexer.select(-1);
            }
        }
    }

    /** Receives until there are so many datagrams in all. */
    public void await(int count) {
        while (received.size() < count) {
            if (receive() == 0) {
                select();
            }
        }
        assertEquals(count, received.size());
    }

    /** Receives what is there now. */
    public int receive() {
        readable = false;
        int count = port.receive(in);
        assertTrue(count >= 0, () -> "receive returned " + count + ": " + port.failure());
        assertEquals(count, in.size());
        for (int i = 0; i < count; i++) {
            received.add(in.memory().asSlice(in.offset(i), in.length(i)).toArray(ValueLayout.JAVA_BYTE));
        }
        return count;
    }

    /** Waits for the edge of the next datagram. */
    public void select() {
        while (!readable) {
            multiplexer.select(-1);
        }
    }

    @Override
    public void close() {
        port.close();
    }
}
