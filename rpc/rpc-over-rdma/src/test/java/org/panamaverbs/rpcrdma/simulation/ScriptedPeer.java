package org.panamaverbs.rpcrdma.simulation;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.panamaverbs.rpcrdma.endpoint.Endpoint;
import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;
import org.panamaverbs.rpcrdma.endpoint.OutboundCall;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.simulation.SimulatedLink.Traits;

/** An endpoint whose peer is a script: it sends any bytes, and sees all that the endpoint sends. */
final class ScriptedPeer implements AutoCloseable {
    static final int INLINE = 4096;
    static final int SENDS = 64;

    /** A call of the endpoint, as its caller sees it. */
    static final class Outcome implements OutboundCall.Listener {
        MessageXdr reply;
        Throwable failure;
        int ends;
        int sent;

        @Override
        public void sent(int bytes) {
            sent++;
        }

        @Override
        public void answered(MessageXdr message) {
            reply = message;
            ends++;
        }

        @Override
        public void failed(Throwable cause) {
            failure = cause;
            ends++;
        }
    }

    final SimulatedWire wire;
    final Endpoint endpoint;
    /** The endpoint's side. */
    final SimulatedLink link;
    /** The script's side. */
    final SimulatedLink script;
    final List<byte[]> received = new ArrayList<>();
    final List<MessageXdr> calls = new ArrayList<>();
    final List<Integer> xids = new ArrayList<>();
    private boolean answers = true;
    private int resultLength;

    private ScriptedPeer(EndpointOptions options, int inline) {
        Traits traits = new Traits(inline, inline, SENDS, SENDS, null, true, true);
        wire = new SimulatedWire(new Random(options.hashCode()), traits, traits);
        link = options.client() ? wire.client : wire.server;
        script = options.client() ? wire.server : wire.client;
        endpoint = new Endpoint(link, options, this::onCall, Seat.alone(8L * options.messageSize()));
        link.attach(new SimulatedLink.End() {
            @Override
            public void onReceive(MemorySegment message, long length, boolean invalidated, int handle) {
                endpoint.onReceive(message, length, invalidated, handle);
            }

            @Override
            public void onEnd(String reason) {
                endpoint.onEnd(reason);
            }
        });
        script.attach(new SimulatedLink.End() {
            @Override
            public void onReceive(MemorySegment message, long length, boolean invalidated, int handle) {
                received.add(message.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
            }

            @Override
            public void onEnd(String reason) {
                // The script sees it by isOpen.
            }
        });
    }

    static EndpointOptions options(boolean client, int lowest, int highest) {
        return new EndpointOptions(client, lowest, highest, 8, 8, 1 << 16, 4, 3, 2, INLINE);
    }

    static ScriptedPeer ofServer() {
        return of(options(false, 1, 2));
    }

    static ScriptedPeer of(EndpointOptions options) {
        return of(options, INLINE);
    }

    /** With receives of another size. */
    static ScriptedPeer of(EndpointOptions options, int inline) {
        return new ScriptedPeer(options, inline);
    }

    static ScriptedPeer ofServer(UnaryOperator<EndpointOptions> change) {
        return of(change.apply(options(false, 1, 2)));
    }

    /** A client that begins with a version. */
    static ScriptedPeer ofClient(int version) {
        return of(options(true, 1, version));
    }

    private void onCall(int xid, MessageXdr message) {
        calls.add(message);
        xids.add(xid);
        if (answers) {
            reply(calls.size() - 1);
        }
    }

    ScriptedPeer withoutAnswers() {
        answers = false;
        return this;
    }

    /** Replies have one result of so many bytes, if not 0. */
    ScriptedPeer withResult(int length) {
        resultLength = length;
        return this;
    }

    void reply(int call) {
        MessageXdr message = calls.get(call);
        message.beginEncoding();
        message.xdrEncodeInt(xids.get(call));
        message.xdrEncodeInt(1);
        message.xdrEncodeInt(7);
        if (resultLength > 0) {
            message.encodeSegment(wire.allocate(resultLength));
        }
        message.endEncoding();
        endpoint.reply(message, success -> {
            // The script has seen the messages.
        });
    }

    /** Sends, and lets all happen that follows; returns the answers. */
    List<byte[]> send(byte[]... messages) {
        int before = received.size();
        for (byte[] message : messages) {
            post(message);
        }
        wire.settle();
        return List.copyOf(received.subList(before, received.size()));
    }

    void post(byte[] message) {
        SimulatedLink.Memory memory = script.takeSend();
        if (memory != null) {
            MemorySegment.copy(MemorySegment.ofArray(message), 0, memory.segment(), 0, message.length);
            script.send(memory, message.length, success -> {
                // The wire tells.
            });
        }
    }

    /** The endpoint makes a call of one word, one argument and results. */
    Outcome call(int xid, int argument, int replyAtMost, MemorySegment... results) {
        return call(xid, argument, replyAtMost, false, results);
    }

    Outcome call(int xid, int argument, int replyAtMost, boolean repeatable, MemorySegment... results) {
        MessageXdr message = new MessageXdr();
        message.beginEncoding();
        message.xdrEncodeInt(xid);
        message.xdrEncodeInt(0);
        if (argument > 0) {
            message.encodeSegment(wire.allocate(argument));
        }
        message.endEncoding();
        Outcome outcome = new Outcome();
        endpoint.call(new OutboundCall(xid, message, List.of(results), replyAtMost, repeatable, outcome));
        wire.settle();
        return outcome;
    }

    /** The last message that came, as words. */
    int[] last() {
        return Words.decode(received.getLast());
    }

    boolean isOpen() {
        return endpoint.isOpen();
    }

    @Override
    public void close() {
        wire.lose("the script is over");
        wire.settle();
        for (int i = 0; i < calls.size(); i++) {
            reply(i);
        }
        wire.settle();
        if (!link.exposures.isEmpty() || link.held() != 0) {
            throw new AssertionError("the endpoint leaks " + link.exposures.size() + " exposures and " + link.held() + " pieces of memory");
        }
        wire.close();
    }
}
