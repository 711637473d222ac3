package org.panamaverbs.tools.decode;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.panamaverbs.tools.shared.Failure;

/** A file of packets, read one by one. */
abstract class PacketFile implements AutoCloseable {
    /** The longest packet, or block around one, that is read. libpcap keeps 256 KiB of a packet at most. */
    static final int LONGEST = 16 << 20;

    private static final int PCAPNG = 0x0A0D0D0A;
    private static final int MICROSECONDS = 0xA1B2C3D4;
    private static final int NANOSECONDS = 0xA1B23C4D;
    /** The first half of the word. */
    private static final int GZIP = 0x1F8B;
    private static final String CURE = "write one by pverbs capture, tcpdump -w or Wireshark";

    private final String name;
    private final InputStream in;
    private long offset;
    /** Packets so far. */
    private long packets;

    PacketFile(String name, InputStream in, long offset) {
        this.name = name;
        this.in = in;
        this.offset = offset;
    }

    /**
     * Opens a file of either format.
     *
     * @throws Failure if the file has neither format
     */
    static PacketFile open(Path path) throws IOException {
        String name = path.toAbsolutePath().normalize().toString();
        if (Files.isDirectory(path)) {
            throw new Failure(Failure.Kind.FILE, name + " is a directory: name a file of packets in it");
        }
        InputStream in = new BufferedInputStream(Files.newInputStream(path), 1 << 16);
        try {
            return of(name, in);
        } catch (IOException | RuntimeException e) {
            in.close();
            throw e;
        }
    }

    /** The same for the content of a file. */
    static PacketFile of(String name, InputStream in) throws IOException {
        byte[] first = in.readNBytes(4);
        int magic = first.length < 4 ? 0 : ByteBuffer.wrap(first).getInt();
        if (magic == PCAPNG) {
            return new Pcapng(name, in);
        }
        for (ByteOrder order : new ByteOrder[] { ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN }) {
            int own = order == ByteOrder.BIG_ENDIAN ? magic : Integer.reverseBytes(magic);
            if (own == MICROSECONDS || own == NANOSECONDS) {
                return new Pcap(name, in, order, own == NANOSECONDS);
            }
        }
        throw new Failure(Failure.Kind.FILE, name + (first.length == 0 ? " is empty: " + CURE
                : magic >>> 16 == GZIP ? " is compressed: gunzip it first" : " is neither a pcapng nor a pcap file: " + CURE));
    }

    /** The next packet, or {@code null} at the end of the file. */
    abstract Frame next() throws IOException;

    final Frame frame(long nanos, int linkType, byte[] bytes, long length) {
        packets++;
        return new Frame(packets, nanos, linkType, bytes, Math.clamp(length, bytes.length, Integer.MAX_VALUE));
    }

    final long offset() {
        return offset;
    }

    /** Bytes of the file in an order; {@code null} if it ends right here. */
    final ByteBuffer readOrEnd(int count, ByteOrder order) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length == 0 && count > 0) {
            return null;
        }
        offset += bytes.length;
        if (bytes.length < count) {
            throw cut();
        }
        return ByteBuffer.wrap(bytes).order(order);
    }

    final ByteBuffer read(int count, ByteOrder order) throws IOException {
        ByteBuffer bytes = readOrEnd(count, order);
        if (bytes == null) {
            throw cut();
        }
        return bytes;
    }

    final void skip(long count) throws IOException {
        long skipped = in.skip(count);
        while (skipped < count) {
            if (in.read() < 0) {
                offset += skipped;
                throw cut();
            }
            skipped++;
            skipped += in.skip(count - skipped);
        }
        offset += count;
    }

    private Failure cut() {
        return new Failure(Failure.Kind.FILE, name + " is cut short: it ends at byte " + offset + ", in the middle of a packet or block");
    }

    final Failure corrupt(long at, String how) {
        return new Failure(Failure.Kind.FILE,
                name + " is corrupt at byte " + at + ": " + how + "; the messages before it are printed above");
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
