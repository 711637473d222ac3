package org.panamaverbs.softiwarp.transport.shared;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.SharedMemoryCalls;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.epoll.Descriptor;

/** A peer over shared memory that writes whatever it likes, into the rings and beside them. */
public final class RawRings implements AutoCloseable {
    private static final int TARGET = 0;
    private static final long NAP_NANOS = 20_000;

    private final Descriptor socket;
    private final RingMemory rings;
    private final RingWriter writer;
    private final RingReader reader;
    private final MemorySegment wakeUp = Arena.ofAuto().allocate(1);
    private long timeoutMillis = Host.LIMIT.toMillis();

    private RawRings(Descriptor socket, RingMemory rings) {
        this.socket = socket;
        this.rings = rings;
        writer = new RingWriter(rings, TARGET, this::wake);
        reader = new RingReader(rings, 1, this::wake);
    }

    /** Connects to a listener that offers shared memory, and greets it properly. */
    public static RawRings connect(InetSocketAddress listener) {
        Offer.Connected offered = Offer.connect(Route.to(listener));
        assertNotNull(offered, "the port offers no shared memory");
        int file = RingMemory.create("test", RingMemory.CAPACITY);
        RingMemory rings = RingMemory.map("test", file, RingMemory.CAPACITY);
        Greeting.send("test", offered.socket().fd(), file, RingMemory.CAPACITY);
        Libc.close(file);
        return new RawRings(offered.socket(), rings);
    }

    /** All that both sides map. */
    public MemorySegment memory() {
        return rings.memory();
    }

    /** Wakes the other side, whether or not it asked for that. */
    public void wake() {
        SocketCalls.transferPart(Descriptor.UNREAD, false, socket.fd(), wakeUp, 0, 1);
    }

    /**
     * Does the last part of a read: clears the mark of the writer that waits for room, and wakes it. A reader that was interrupted between
     * its look at the mark and this may do it much later.
     */
    public void wakeWriter() {
        RingMemory.POSITION.setVolatile(memory(), RingMemory.control(1) + RingMemory.WRITER_WAITS, 0L);
        wake();
    }

    /** Where this side's ring begins in the memory. */
    public long ring() {
        return rings.ring(TARGET);
    }

    public int capacity() {
        return rings.capacity();
    }

    /** The most bytes of a frame. */
    public long piece() {
        return writer.piece;
    }

    /** The position of the next frame, if this side has kept to the rules. */
    public long written() {
        return writer.written();
    }

    /** The position of the frame behind one. */
    public static long behind(long position, long length) {
        return Ring.aligned(position + Ring.LENGTH + length);
    }

    /** The offset in the memory of the byte at a position of this side's ring. */
    public long at(long position) {
        return writer.at(position);
    }

    /** Claims that a frame of this length is at a position, and nothing behind it: the other side may believe neither. */
    public void claimFrame(long position, long length) {
        RingMemory.POSITION.set(memory(), at(behind(position, length)), 0L);
        RingMemory.POSITION.setVolatile(memory(), at(position), length);
        wake();
    }

    /** Claims that so many of the other side's bytes were ever read. */
    public void claimRead(long position) {
        RingMemory.POSITION.setVolatile(memory(), RingMemory.control(1) + RingMemory.READ, position);
    }

    public void timeout(int millis) {
        timeoutMillis = millis;
    }

    public OutputStream output() {
        return new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                write(new byte[] { (byte) octet }, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                IoVector from = new IoVector(1);
                from.add(Arena.ofAuto().allocate(Math.max(1, length)).copyFrom(MemorySegment.ofArray(bytes).asSlice(offset, length)), 0,
                        length);
                while (from.bytes() > 0) {
                    from.consume(writer.write(from));
                    if (from.bytes() > 0 && hasEnded()) {
                        throw new SocketException("Broken pipe");
                    }
                }
            }
        };
    }

    public InputStream input() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                if (length == 0) {
                    return 0;
                }
                MemorySegment memory = Arena.ofAuto().allocate(length);
                IoVector into = new IoVector(1);
                into.add(memory, 0, length);
                long begin = System.nanoTime();
                while (true) {
                    boolean last = hasEnded();
                    long count = reader.read(into);
                    if (count > 0) {
                        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, bytes, offset, (int) count);
                        return (int) count;
                    } else if (last) {
                        if (reader.isLeftUnread()) {
                            throw new SocketException("Connection reset");
                        }
                        return -1;
                    } else if (System.nanoTime() - begin > TimeUnit.MILLISECONDS.toNanos(timeoutMillis)) {
                        throw new SocketTimeoutException("nothing came for " + timeoutMillis + " ms");
                    }
                    LockSupport.parkNanos(NAP_NANOS);
                }
            }
        };
    }

    /** Whether the other side has ended its direction or its socket. */
    private boolean hasEnded() {
        if (reader.isEnded()) {
            return true;
        }
        SharedMemoryCalls.Received received = SharedMemoryCalls.receive(socket.fd(), new byte[64]);
        return received.count() == 0 || received.count() < 0 && received.count() != -Libc.EAGAIN();
    }

    public void shutdownOutput() {
        writer.end();
    }

    @Override
    public void close() {
        if (socket.close()) {
            writer.close();
            reader.close();
        }
    }
}
