package org.panamaverbs.rpcrdma.simulation;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.Wire;

/**
 * The content of a call and its reply: both sides derive it from a number within the call, so each knows what every byte must be.
 *
 * <pre>
 * call:  xid, CALL, seed, items of the arguments each with a marker, filler
 * reply: xid, REPLY, seed, items of the results each with a marker, filler
 * </pre>
 */
final class Plan {
    private static final int[] SIZES = { 0, 1, 3, 4, 40, 700, 1000, 4000, 4100, 9000, 20_000 };
    private static final int MARKER = 0x4d41_524b;
    final int seed;
    final int[] arguments;
    final int[] results;
    final int callFiller;
    final int replyFiller;
    final boolean answered;

    Plan(int seed) {
        this.seed = seed;
        Random random = new Random(seed);
        arguments = sizes(random);
        results = sizes(random);
        callFiller = filler(random);
        replyFiller = filler(random);
        answered = random.nextInt(20) != 0;
    }

    private static int[] sizes(Random random) {
        int[] sizes = new int[Math.max(0, random.nextInt(6) - 2)];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = SIZES[random.nextInt(SIZES.length)];
        }
        return sizes;
    }

    private static int filler(Random random) {
        return random.nextInt(3) == 0 ? SIZES[random.nextInt(SIZES.length)] : random.nextInt(64);
    }

    static byte expected(int seed, int item, long index) {
        return (byte) (seed * 31 + item * 7 + index * 13 + (index >>> 7));
    }

    private static void fill(MemorySegment memory, int seed, int item) {
        byte[] bytes = new byte[(int) memory.byteSize()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = expected(seed, item, i);
        }
        memory.copyFrom(MemorySegment.ofArray(bytes));
    }

    private static void check(MemorySegment memory, int seed, int item) {
        byte[] bytes = memory.toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != expected(seed, item, i)) {
                throw new AssertionError("byte " + i + " of item " + item + " of plan " + seed + " is wrong");
            }
        }
    }

    /** The bytes of the reply beside items that are placed. */
    int replyLength(int placed) {
        long length = 12 + 4 + MessageXdr.padded(replyFiller);
        for (int i = 0; i < results.length; i++) {
            length += 8 + (i < placed ? 0 : MessageXdr.padded(results[i]));
        }
        return (int) length;
    }

    MessageXdr call(int xid, SimulatedWire wire) {
        MessageXdr message = new MessageXdr();
        message.beginEncoding();
        encode(message, xid, Wire.CALL, arguments, callFiller, wire, seed);
        return message;
    }

    /** Encodes the reply into the stream of the call; returns the memory of its items. */
    MemorySegment[] reply(MessageXdr call, int xid, SimulatedWire wire) {
        call.beginEncoding();
        return encode(call, xid, Wire.REPLY, results, replyFiller, wire, ~seed);
    }

    private MemorySegment[] encode(Xdr stream, int xid, int type, int[] lengths, int filler, SimulatedWire wire, int pattern) {
        MessageXdr message = (MessageXdr) stream;
        message.xdrEncodeInt(xid);
        message.xdrEncodeInt(type);
        message.xdrEncodeInt(seed);
        MemorySegment[] items = new MemorySegment[lengths.length];
        for (int i = 0; i < lengths.length; i++) {
            // Memory of the heap cannot be registered, and counts as an item all the same.
            boolean heap = (seed + i & 3) == 0;
            items[i] = heap ? MemorySegment.ofArray(new byte[lengths[i]]) : wire.allocate(Math.max(1, lengths[i])).asSlice(0, lengths[i]);
            fill(items[i], pattern, i);
            message.encodeSegment(items[i]);
            message.xdrEncodeInt(MARKER + i);
        }
        byte[] bytes = new byte[filler];
        fill(MemorySegment.ofArray(bytes), pattern, -1);
        message.xdrEncodeDynamicOpaque(bytes);
        message.endEncoding();
        return items;
    }

    /** Decodes a call and checks each byte. */
    static Plan decodeCall(MessageXdr message, int xid) throws IOException {
        Plan plan = begin(message, xid, Wire.CALL);
        for (int i = 0; i < plan.arguments.length; i++) {
            MemorySegment view = message.decodeView();
            if (view.byteSize() != plan.arguments[i]) {
                throw new AssertionError("argument " + i + " of plan " + plan.seed + " has " + view.byteSize() + " bytes");
            }
            check(view, plan.seed, i);
            marker(message, i);
        }
        check(MemorySegment.ofArray(message.xdrDecodeDynamicOpaque()), plan.seed, -1);
        return plan;
    }

    /** Decodes a reply and checks each byte. */
    void decodeReply(MessageXdr message, int xid, MemorySegment[] into) throws IOException {
        if (begin(message, xid, Wire.REPLY).seed != seed) {
            throw new AssertionError("the reply of another call");
        }
        for (int i = 0; i < results.length; i++) {
            long length = message.decodeSegment(into[i]);
            if (length != results[i]) {
                throw new AssertionError("result " + i + " of plan " + seed + " has " + length + " bytes, not " + results[i]);
            }
            check(into[i].asSlice(0, length), ~seed, i);
            marker(message, i);
        }
        check(MemorySegment.ofArray(message.xdrDecodeDynamicOpaque()), ~seed, -1);
    }

    private static Plan begin(MessageXdr message, int xid, int type) throws IOException {
        message.beginDecoding();
        if (message.xdrDecodeInt() != xid || message.xdrDecodeInt() != type) {
            throw new AssertionError("the XID or the type of a message is wrong");
        }
        return new Plan(message.xdrDecodeInt());
    }

    private static void marker(MessageXdr message, int index) throws IOException {
        if (message.xdrDecodeInt() != MARKER + index) {
            throw new AssertionError("the marker behind item " + index + " is wrong: padding is misplaced");
        }
    }

    @Override
    public String toString() {
        return "plan " + seed + ": arguments " + java.util.Arrays.toString(arguments) + " + " + callFiller + ", results "
                + java.util.Arrays.toString(results) + " + " + replyFiller;
    }
}
