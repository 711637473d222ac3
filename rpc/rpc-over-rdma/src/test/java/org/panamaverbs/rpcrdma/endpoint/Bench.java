package org.panamaverbs.rpcrdma.endpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.rpcrdma.OpaqueSegment;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.HeaderReader;
import org.panamaverbs.rpcrdma.wire.PrivateData;
import org.panamaverbs.rpcrdma.wire.Reading;
import org.panamaverbs.rpcrdma.wire.Wire;
import org.panamaverbs.rpcrdma.wire.Words;

/** An endpoint whose peer is the test: messages of the peer are words, and those of the endpoint texts (see {@code Reading}). */
final class Bench {
    static final int CREDITS = 32;
    private static final int SEGMENTS = 8;
    private static final int CHUNKS = 8;
    private static final int MESSAGE_SIZE = 1 << 20;

    /** A call of the endpoint's program. */
    static class Caller implements OutboundCall.Listener {
        MessageXdr answer;
        Throwable failure;
        int heard;

        @Override
        public void sent(int bytes) {
            // The answer counts.
        }

        @Override
        public void answered(MessageXdr reply) {
            answer = reply;
            heard++;
        }

        @Override
        public void failed(Throwable cause) {
            failure = cause;
            heard++;
        }
    }

    final FakeLink link = new FakeLink();
    final Endpoint endpoint;
    final List<MessageXdr> calls = new ArrayList<>();

    Bench(EndpointOptions options, PrivateData peer) {
        link.peer = peer;
        endpoint = new Endpoint(link, options, (xid, message) -> calls.add(message), Seat.alone(8L * options.messageSize()));
        link.endpoint = endpoint;
    }

    /** A client that takes no calls. */
    static Bench client(int lowest, int highest, PrivateData peer) {
        return new Bench(new EndpointOptions(true, lowest, highest, CREDITS, 0, MESSAGE_SIZE, SEGMENTS, CHUNKS, CHUNKS, 4096), peer);
    }

    /** A client that takes calls of the server. */
    static Bench clientWithServices(int version) {
        return new Bench(new EndpointOptions(true, version, version, CREDITS, CREDITS, MESSAGE_SIZE, SEGMENTS, CHUNKS, CHUNKS, 4096), null);
    }

    static Bench client() {
        return client(1, 1, null);
    }

    static Bench server(int lowest, int highest, PrivateData peer) {
        return server(lowest, highest, peer, CREDITS);
    }

    static Bench server(int lowest, int highest, PrivateData peer, int credits) {
        return new Bench(new EndpointOptions(false, lowest, highest, CREDITS, credits, MESSAGE_SIZE, SEGMENTS, CHUNKS, CHUNKS, 4096), peer);
    }

    /** A server of version 2 that takes so many chunks of either kind. */
    static Bench serverTaking(int chunks) {
        return new Bench(new EndpointOptions(false, 2, 2, CREDITS, CREDITS, MESSAGE_SIZE, SEGMENTS, chunks, chunks, 4096), null);
    }

    static Bench server() {
        return server(1, 1, null);
    }

    /** A message of the peer. */
    Bench receive(String words) {
        return receive(words, 0);
    }

    /** The same, after which {@code bytes} follow that need not be written as words. */
    Bench receive(String words, int bytes) {
        byte[] header = Words.of(words);
        byte[] message = java.util.Arrays.copyOf(header, header.length + bytes);
        endpoint.onReceive(MemorySegment.ofArray(message), message.length, false, 0);
        link.run();
        return this;
    }

    /** The peer's first answer grants credits and confirms the version. */
    Bench answered(int version, int credits) {
        Caller first = call(0xfff, 0);
        receive("fff " + version + " " + Integer.toHexString(credits) + " 0 " + (version == 2 ? "1 0 " : "") + "0 0 0  fff 1");
        if (first.answer == null) {
            throw new AssertionError("not answered: " + first.failure);
        }
        link.sent.clear();
        return this;
    }

    /** A message of any bytes. */
    void receive(byte[] message, boolean invalidated, int handle) {
        endpoint.onReceive(MemorySegment.ofArray(message), message.length, invalidated, handle);
    }

    /** Makes a call: {@code parts} are numbers and segments behind its XID and type. */
    Caller call(int xid, int replyAtMost, Object... parts) {
        return call(xid, List.of(), replyAtMost, parts);
    }

    Caller call(int xid, List<MemorySegment> results, int replyAtMost, Object... parts) {
        Caller caller = new Caller();
        MessageXdr message = new MessageXdr();
        encode(message, xid, Wire.CALL, parts);
        endpoint.call(new OutboundCall(xid, message, results, replyAtMost, false, caller));
        link.run();
        return caller;
    }

    /** Replies to a call of the peer. */
    void reply(int call, Object... parts) {
        MessageXdr message = calls.get(call);
        encode(message, ((InboundCall) message.context()).xid, Wire.REPLY, parts);
        endpoint.reply(message, success -> {
            // The link knows.
        });
        link.run();
    }

    private static void encode(MessageXdr message, int xid, int type, Object... parts) {
        message.beginEncoding();
        message.xdrEncodeInt(xid);
        message.xdrEncodeInt(type);
        for (Object part : parts) {
            if (part instanceof MemorySegment data) {
                OpaqueSegment.encode(message, data);
            } else {
                message.xdrEncodeInt((Integer) part);
            }
        }
        message.endEncoding();
    }

    /** The messages that were sent. */
    List<String> sent() {
        return link.sent.stream().map(message -> Reading.of(message.bytes()).found()).toList();
    }

    /** The words behind the header of a message that was sent. */
    int[] payload(int index) {
        byte[] bytes = link.sent.get(index).bytes();
        HeaderReader reader = Reading.of(bytes).reader();
        return words(MemorySegment.ofArray(bytes).asSlice(reader.payloadOffset()));
    }

    static int[] words(MemorySegment segment) {
        int[] words = new int[(int) (segment.byteSize() / Integer.BYTES)];
        for (int i = 0; i < words.length; i++) {
            words[i] = segment.get(Endpoint.INT, (long) Integer.BYTES * i);
        }
        return words;
    }

    /** Data of a program: bytes 1, 2, 3 and so on. */
    static MemorySegment data(int length) {
        MemorySegment data = Arena.ofAuto().allocate(length);
        for (int i = 0; i < length; i++) {
            data.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
        }
        return data;
    }

    /** The call as its program decodes it, behind XID and type. */
    MessageXdr decode(int call) {
        MessageXdr message = calls.get(call);
        message.beginDecoding();
        try {
            message.xdrDecodeInt();
            message.xdrDecodeInt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return message;
    }
}
