package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 5041 over MPA, without RDMAP. */
class MpaSocketTest extends StreamSocketTestCase {
    MpaSocketTest() {
        super(DdpTransport.MPA, "auto");
    }

    @Override
    DdpOptions options() {
        return DdpOptions.DEFAULT.withQueues(3).withPrivateData(new byte[] { 1, 2, 3 });
    }

    @Test
    @Requirement({ "RFC5041-4.2-b,c", "RFC5041-4.3-b,c,f", "RFC5041-5.4-c" })
    void shouldCarryTheProgramsFieldsOfBothHeaders() {
        DdpStreamSocket from = (DdpStreamSocket) near;
        DdpStreamSocket to = (DdpStreamSocket) far;
        MemorySegment sink = arena.allocate(100_000);
        RegisteredBuffer buffer = to.register(sink);
        assertTrue(to.tryPostReceive(buffer, 0, 100_000, 2));
        MemorySegment source = pattern(100_000, 1);

        from.sendUntagged(source, 0, 100_000, 2, 0xA5, 0x12345678);
        from.sendTagged(source, 0, 10, buffer.address().stag(), 0, 0x80 | 6);

        Indication untagged = take(to);
        assertEquals(2, untagged.queue());
        assertEquals(0xA5, untagged.ulpOctet());
        assertEquals(0x12345678, untagged.ulpWord());
        assertArrayEquals(bytes(source, 0, 100_000), bytes(sink, 0, 100_000));
        Indication tagged = take(to);
        assertEquals(0x86, tagged.ulpOctet() | 0x80);
        assertEquals(6, tagged.messageId());
        assertThrows(IllegalArgumentException.class, () -> from.sendTagged(source, 0, 1, 1, 0, 256));
        assertThrows(IllegalArgumentException.class, () -> from.sendDdp(source, 0, 1, new BufferAddress(1, 0), 128));
    }

    @Test
    void shouldExchangePrivateData() {
        assertArrayEquals(new byte[] { 1, 2, 3 }, ((DdpStreamSocket) near).peerPrivateData());
        assertArrayEquals(new byte[] { 1, 2, 3 }, ((DdpStreamSocket) far).peerPrivateData());
    }

    @Test
    void shouldLetTheResponderSpeakFirst() {
        RegisteredBuffer buffer = near.register(arena.allocate(10));
        far.sendDdp(pattern(10, 1), 0, 10, buffer.address(), 1);
        assertEquals(1, take(near).messageId());
    }

    @Test
    void shouldRejectWhomTheListenerDoesNotAdmit() {
        DdpListener picky = context.listen(group, DdpTransport.MPA, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                options().withAdmission(data -> data.length == 1));
        assertThrows(RejectedException.class, () -> context.connect(DdpTransport.MPA, picky.address(), options(), LONG));
        context.connect(DdpTransport.MPA, picky.address(), options().withPrivateData(new byte[1]), LONG);
        picky.accept(LONG);
    }

    @Test
    void shouldEndTheStreamOnAnUnknownStag() {
        far.register(arena.allocate(10));
        near.sendDdp(pattern(10, 1), 0, 10, new BufferAddress(77, 0));
        VerbsException failure = take(far).failure();
        assertEquals(PeerException.class, failure.getClass());
        assertTrue(failure.getMessage().contains("STag"), failure::getMessage);
    }

    /** RFC 5041, 8.2: a buffer belongs to the stream that registered it. */
    @Test
    @Requirement({ "RFC5041-8.2-b,d", "RFC5041-8.3-c", "RFC5041-8.3.1-c" })
    void shouldEndTheStreamOnTheStagOfAnotherStream() {
        DdpSocket other = context.connect(transport, listener.address(), options(), LONG);
        DdpSocket otherFar = listener.accept(LONG);
        MemorySegment sink = arena.allocate(10);
        RegisteredBuffer buffer = far.register(sink);
        otherFar.register(arena.allocate(10));
        other.sendDdp(pattern(10, 1), 0, 10, buffer.address());
        VerbsException failure = take(otherFar).failure();
        assertEquals(PeerException.class, failure.getClass());
        assertTrue(failure.getMessage().contains("STag"), failure::getMessage);
        assertArrayEquals(new byte[10], bytes(sink, 0, 10));
    }

    /** RFC 5041, 6.2.1: the end of one direction leaves the other, which ends in good order too. */
    @Test
    @Requirement({ "RFC5041-3-j", "RFC5041-6.2.1-a,c..e" })
    void shouldGoOnInTheOtherDirectionAfterTheEndOfOne() {
        RegisteredBuffer there = far.register(arena.allocate(100_000));
        RegisteredBuffer back = near.register(arena.allocate(100_000));
        near.sendDdp(pattern(100_000, 7), 0, 100_000, there.address(), 3);
        near.shutdownOutput();
        assertThrows(IllegalStateException.class, () -> near.sendDdp(pattern(10, 7), 0, 10, there.address(), 4));
        assertEquals(3, take(far).messageId());
        assertEquals(Indication.Kind.END, take(far).kind());
        far.sendDdp(pattern(100_000, 8), 0, 100_000, back.address(), 5);
        far.shutdownOutput();
        assertEquals(5, take(near).messageId());
        assertEquals(Indication.Kind.END, take(near).kind());
    }

    /** RFC 5041, 5.2: a message is shorter than 2^32 bytes. The file has no blocks. */
    @Test
    @Requirement("RFC5041-5.2-b")
    void shouldRefuseAMessageOfFourGibibytes(@TempDir Path folder) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(folder.resolve("sparse").toFile(), "rw"); Arena mapping = Arena.ofShared()) {
            long length = 1L << 32;
            file.setLength(length);
            MemorySegment message = file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, length, mapping);
            DdpStreamSocket from = (DdpStreamSocket) near;
            far.register(arena.allocate(10));
            assertThrows(IllegalArgumentException.class, () -> from.sendTagged(message, 0, length, 77, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> from.sendDdp(message, 0, length, new BufferAddress(77, 0)));
            assertThrows(IllegalArgumentException.class, () -> from.sendUntagged(message, 0, length, 0, 0, 0));
        }
    }

    @Override
    boolean endsOnAnUnknownStag() {
        return true;
    }
}
