package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MessageBuffersTest {
    private static final int LENGTH = 100_000;

    private final MessageBuffers buffers = new MessageBuffers(new FakeDomain(null));

    @AfterEach
    void close() {
        buffers.close();
    }

    /** The peer may say that its reply is there, and have written nothing: what is read then must not be a call. */
    @Test
    void shouldGiveAReplyNoMemoryOfACall() {
        MessageBuffers.Buffer call = buffers.take(LENGTH);
        call.segment().fill((byte) 7);
        call.release();
        MessageBuffers.Buffer reply = buffers.takeForReply(LENGTH);
        assertEquals(-1, reply.segment().asSlice(0, LENGTH).mismatch(MemorySegment.ofArray(new byte[LENGTH])));
        reply.release();
    }

    @Test
    void shouldUseBuffersAgain() {
        MessageBuffers.Buffer call = buffers.take(LENGTH);
        MessageBuffers.Buffer reply = buffers.takeForReply(LENGTH);
        assertNotSame(call, reply);
        call.release();
        reply.release();
        assertSame(call, buffers.take(LENGTH));
        assertSame(reply, buffers.takeForReply(LENGTH));
        call.release();
        reply.release();
    }

    @Test
    void shouldKeepSixteenMebibytesOfBothKinds() {
        MessageBuffers.Buffer call = buffers.take(16 << 20);
        MessageBuffers.Buffer reply = buffers.takeForReply(16 << 20);
        call.release();
        reply.release();
        assertSame(call, buffers.take(16 << 20));
        MessageBuffers.Buffer other = buffers.takeForReply(16 << 20);
        assertNotSame(reply, other);
        call.release();
        other.release();
    }
}
