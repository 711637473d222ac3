package org.panamaverbs.ddp.socket;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ddp.sctp.MessageReader;
import org.panamaverbs.ddp.sctp.Outbound;
import org.panamaverbs.ddp.sctp.PassiveSession;
import org.panamaverbs.ddp.sctp.SctpControl;
import org.panamaverbs.ddp.sctp.Session;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.MessageChannel;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** The end of a stream, over an association that takes every message. */
class SctpStreamTest {
    private static final byte[] NO_DATA = {};

    private final MessageChannel messages = (MessageChannel) Proxy.newProxyInstance(MessageChannel.class.getClassLoader(),
            new Class<?>[] { MessageChannel.class }, (proxy, method, arguments) -> method.getName().equals("send") ? 1 : null);

    /** The passive side's Terminate waits for the time after which the Accept counts as received; the stream closes before. */
    @Test
    void shouldUseNoMemoryAfterItHasClosed() {
        Arena memory = Arena.ofShared();
        PassiveSession session = new PassiveSession(new Outbound(memory));
        MessageReader reader = new MessageReader(session, memory);
        MemorySegment buffer = memory.allocate(SctpControl.SIZE, Long.BYTES);
        SctpControl.put(buffer, 0, SctpControl.INITIATE, NO_DATA);
        assertEquals(TerminateCode.NONE, reader.onMessage(buffer, SctpControl.SIZE, SctpControl.PROTOCOL, true));
        session.accept(NO_DATA);
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "sctp", 0)) {
            SctpStream stream = new SctpStream(loop, messages, session, buffer);
            stream.shutdownOutput();
            assertEquals(Session.State.ESTABLISHED, session.state());
            stream.close();
            memory.close();
            assertDoesNotThrow(stream::onReceived);
            assertDoesNotThrow(stream::shutdownOutput);
        }
    }
}
