package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.SystemException;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.ddp.transport.sctp.SctpAvailability;

/** RFC 5041 over SCTP, where there is SCTP. */
class SctpSocketTest extends StreamSocketTestCase {
    SctpSocketTest() {
        super(DdpTransport.SCTP, "auto");
    }

    @BeforeEach
    @Override
    void connect() {
        Optional<String> obstacle = SctpAvailability.obstacle();
        assumeTrue(obstacle.isEmpty(), () -> "SCTP does not work here: " + obstacle.get());
        super.connect();
    }

    @AfterEach
    @Override
    void close() {
        if (context != null) {
            super.close();
        }
    }

    @Override
    DdpOptions options() {
        return DdpOptions.DEFAULT.withQueues(3).withPrivateData(new byte[] { 1, 2, 3 });
    }

    @Override
    boolean endsOnAnUnknownStag() {
        return true;
    }

    @Test
    void shouldCarryTheProgramsFieldsOfBothHeaders() {
        DdpStreamSocket from = (DdpStreamSocket) near;
        DdpStreamSocket to = (DdpStreamSocket) far;
        RegisteredBuffer buffer = to.register(arena.allocate(100_000));
        assertTrue(to.tryPostReceive(buffer, 0, 100_000, 2));
        MemorySegment source = pattern(100_000, 1);

        from.sendUntagged(source, 0, 100_000, 2, 0xA5, 0x12345678);
        from.sendTagged(source, 0, 10, buffer.address().stag(), 0, 0x80 | 6);

        Indication untagged = take(to);
        assertEquals(2, untagged.queue());
        assertEquals(0xA5, untagged.ulpOctet());
        assertEquals(0x12345678, untagged.ulpWord());
        assertEquals(6, take(to).messageId());
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

    /** Its Terminate waits until the Accept must have been received. */
    @Test
    void shouldLetTheResponderEndFirst() {
        far.shutdownOutput();
        assertEquals(Indication.Kind.END, take(near).kind());
    }

    @Test
    void shouldRejectAPeerThatTheListenerDoesNotAdmit() {
        DdpListener picky = context.listen(group, transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                options().withAdmission(data -> data.length == 1));
        RejectedException rejected = assertThrows(RejectedException.class,
                () -> context.connect(transport, picky.address(), options(), LONG));
        assertArrayEquals(new byte[] { 1, 2, 3 }, rejected.privateData());
        context.connect(transport, picky.address(), options().withPrivateData(new byte[1]), LONG);
        picky.accept(LONG);
    }

    @Test
    void shouldNameAPeerThatDoesNotListen() {
        listener.close();
        SystemException refused = assertThrows(SystemException.class,
                () -> context.connect(transport, listener.address(), options(), LONG));
        assertTrue(refused.getMessage().contains(" refuses connections: is a server running there? (ECONNREFUSED)"), refused::getMessage);
    }
}
