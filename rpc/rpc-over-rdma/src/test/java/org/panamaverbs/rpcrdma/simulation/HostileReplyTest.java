package org.panamaverbs.rpcrdma.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.rpcrdma.simulation.Words.XID;
import static org.panamaverbs.rpcrdma.simulation.Words.header;
import static org.panamaverbs.rpcrdma.simulation.Words.join;
import static org.panamaverbs.rpcrdma.simulation.Words.read;
import static org.panamaverbs.rpcrdma.simulation.Words.segment;
import static org.panamaverbs.rpcrdma.simulation.Words.words;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException.Reason;
import org.panamaverbs.rpcrdma.simulation.ScriptedPeer.Outcome;
import org.panamaverbs.rpcrdma.simulation.SimulatedLink.Opened;

/** Replies that no sound responder sends. */
class HostileReplyTest {
    private static final int RESULT = 100;
    private static final int REPLY_AT_MOST = 6000;

    /** The memory that a call opened: a result of 100 bytes, a Reply chunk of 6,000. */
    private record Offer(int version, Opened result, Opened reply) {
        int[] msg(int[]... rest) {
            return join(header(XID, version, 0, 1), join(rest));
        }

        int[] nomsg(int[]... rest) {
            return join(header(XID, version, 1, 1), join(rest));
        }

        int[] write(int handle, int length, long offset) {
            return join(words(1, 1), segment(handle, length, offset));
        }

        int[] write(int length) {
            return write(result.handle(), length, result.offset());
        }

        int[] reply(int length) {
            return join(words(1, 1), segment(reply.handle(), length, reply.offset()));
        }
    }

    private static final int[] NONE = words(0);
    private static final int[] PAYLOAD = words(XID, 1, 7);

    private static Arguments bad(String name, Function<Offer, int[]> message) {
        return Arguments.of(name, message);
    }

    static Stream<Arguments> bad() {
        return Stream.of(bad("no Write chunk", o -> o.msg(NONE, NONE, o.reply(0), PAYLOAD)),
                bad("two Write chunks", o -> o.msg(NONE, o.write(0), o.write(0), NONE, o.reply(0), PAYLOAD)),
                bad("another handle", o -> o.msg(NONE, o.write(o.result.handle() + 1, 8, o.result.offset()), NONE, o.reply(0), PAYLOAD)),
                bad("another offset", o -> o.msg(NONE, o.write(o.result.handle(), 8, o.result.offset() + 8), NONE, o.reply(0), PAYLOAD)),
                bad("a longer result", o -> o.msg(NONE, o.write(RESULT + 1), NONE, o.reply(0), PAYLOAD)),
                bad("a result of 4 GiB", o -> o.msg(NONE, o.write(-1), NONE, o.reply(0), PAYLOAD)),
                bad("two segments",
                        o -> o.msg(NONE, words(1, 2), segment(o.result.handle(), 4, o.result.offset()),
                                segment(o.result.handle(), 4, o.result.offset() + 4), NONE, o.reply(0), PAYLOAD)),
                bad("a Read list", o -> o.msg(read(12, 5, 8, 0), NONE, o.write(0), NONE, o.reply(0), PAYLOAD)),
                bad("another XID in the payload", o -> o.msg(NONE, o.write(0), NONE, o.reply(0), words(XID + 1, 1, 7))),
                bad("a short payload", o -> o.msg(NONE, o.write(0), NONE, o.reply(0), words(XID, 1)).clone()),
                bad("a longer Reply chunk", o -> o.nomsg(NONE, o.write(0), NONE, o.reply(REPLY_AT_MOST + 1))),
                bad("a Reply chunk of 4 GiB", o -> o.nomsg(NONE, o.write(0), NONE, o.reply(-1))),
                bad("a Reply chunk of no bytes", o -> o.nomsg(NONE, o.write(0), NONE, o.reply(0))),
                bad("a Reply chunk without a reply", o -> o.nomsg(NONE, o.write(0), NONE, o.reply(600))),
                bad("a Reply chunk of two segments",
                        o -> o.nomsg(NONE, o.write(0), NONE, words(1, 2), segment(5, 4, 0), segment(5, 4, 4))));
    }

    private static Offer offer(ScriptedPeer peer, int version, List<MemorySegment> results, Outcome[] outcome) {
        results.add(peer.wire.allocate(RESULT));
        outcome[0] = peer.call(XID, 0, REPLY_AT_MOST, results.getFirst());
        Opened result = null;
        Opened reply = null;
        for (Opened open : peer.link.exposures.values()) {
            if (open.memory().byteSize() == RESULT) {
                result = open;
            } else {
                reply = open;
            }
        }
        return new Offer(version, result, reply);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bad")
    void shouldFailTheCallAndGoOn(String name, Function<Offer, int[]> message) {
        for (int version = 1; version <= 2; version++) {
            try (ScriptedPeer peer = ScriptedPeer.ofClient(version)) {
                Outcome[] call = new Outcome[1];
                List<MemorySegment> results = new ArrayList<>();
                Offer offer = offer(peer, version, results, call);
                Outcome next = peer.call(XID + 9, 0, 100);
                int[] words = message.apply(offer);
                peer.send(Words.of(words));
                if (call[0].failure != null) {
                    assertEquals(Reason.BAD_REPLY, assertInstanceOf(CallFailedException.class, call[0].failure).reason());
                } else {
                    // oncrpc4j refuses a reply of less than 12 bytes; its caller hears of that all the same.
                    assertNotNull(call[0].reply, "neither failed nor answered");
                    assertTrue(name.contains("short payload"), name);
                }
                for (byte each : results.getFirst().toArray(ValueLayout.JAVA_BYTE)) {
                    assertEquals((byte) 0xCC, each, "a byte of the result changed");
                }
                assertEquals(0, peer.link.exposures.size());
                peer.send(Words.plainReply(XID + 9, version, 8));
                assertNotNull(next.reply, "the call after it");
                assertEquals(1, call[0].ends);
            }
        }
    }

    @Test
    void shouldDiscardRepliesForNobodyTwiceOrOfAnotherVersion() {
        for (int version = 1; version <= 2; version++) {
            try (ScriptedPeer peer = ScriptedPeer.ofClient(version)) {
                Outcome call = peer.call(XID, 0, 100);
                peer.send(Words.plainReply(XID + 1, version, 8));
                peer.send(Words.plainReply(XID, 3 - version, 8));
                peer.send(Words.plainReply(XID, 255, 8));
                peer.send(Words.of(join(words(XID, version, 8, 2), words(0, 0, 0), PAYLOAD)));
                peer.send(Words.of(join(words(XID, version, 8, 3), words(0, 0, 0), PAYLOAD)));
                assertEquals(0, call.ends);
                assertEquals(1, peer.received.size(), "none is answered");
                peer.send(Words.plainReply(XID, version, 8), Words.plainReply(XID, version, 8));
                assertEquals(1, call.ends);
                assertTrue(peer.isOpen());
            }
        }
    }

    @Test
    void shouldEndTheConnectionIfThePeerInvalidatesWhatItMayNot() {
        try (ScriptedPeer peer = ScriptedPeer.ofClient(1)) {
            Outcome call = peer.call(XID, 0, REPLY_AT_MOST);
            SimulatedLink.Memory memory = peer.script.takeSend();
            peer.script.sendInvalidate(memory, 28, 12_345, success -> {
                // The wire tells.
            });
            peer.wire.settle();
            assertTrue(!peer.isOpen());
            assertEquals(1, call.ends);
        }
    }

    @Test
    void shouldRefuseCallsIfItTakesNone() {
        try (ScriptedPeer peer = ScriptedPeer
                .of(new org.panamaverbs.rpcrdma.endpoint.EndpointOptions(true, 1, 1, 8, 0, 1 << 16, 4, 3, 2, 4096))) {
            Outcome call = peer.call(XID, 0, 100);
            peer.send(Words.plainCall(77, 1));
            // "Loss of the RDMA connection might result" (RFC 8167, 6).
            assertTrue(!peer.isOpen());
            assertEquals(1, call.ends);
        }
    }
}
