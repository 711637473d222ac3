package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.RejectedException;

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

    @Override
    boolean endsOnAnUnknownStag() {
        return true;
    }
}
