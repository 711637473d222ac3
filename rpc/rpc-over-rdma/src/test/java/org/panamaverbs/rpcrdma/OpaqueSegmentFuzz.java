package org.panamaverbs.rpcrdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.panamaverbs.rpcrdma.message.MessageXdr;

/**
 * Items of any length, encoded beside a stream and in it. Both agree on the length of the stream and on the places of the items, and the
 * decoder of the stream returns the items that were encoded. Each byte of the input is an item: its lowest two bits its kind, the others its length.
 */
public final class OpaqueSegmentFuzz {
    private static final int MOST = 64;

    private OpaqueSegmentFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        byte[] plan = Arrays.copyOf(input, Math.min(input.length, MOST));
        try (Arena arena = Arena.ofConfined()) {
            MessageXdr beside = new MessageXdr();
            Xdr within = new Xdr(Xdr.INITIAL_XDR_SIZE);
            beside.beginEncoding();
            within.beginEncoding();
            int items = 0;
            for (byte step : plan) {
                MemorySegment data = data(arena, step);
                if ((step & 3) == 0) {
                    beside.xdrEncodeInt(step);
                    within.xdrEncodeInt(step);
                } else {
                    int position = within.asBuffer().position();
                    OpaqueSegment.encode(beside, data);
                    OpaqueSegment.encode(within, data);
                    check(beside.streamPosition(items++) == position + Integer.BYTES, "an item elsewhere");
                }
            }
            beside.endEncoding();
            within.endEncoding();
            check(beside.itemCount() == items, "items were lost");
            check(beside.streamLength() == within.asBuffer().remaining(), "streams of different lengths");
            decode(within, plan, arena);
        }
    }

    private static void decode(Xdr encoded, byte[] plan, Arena arena) throws IOException {
        byte[] bytes = encoded.getBytes();
        MemorySegment message = arena.allocate(Math.max(1, bytes.length)).asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
        MessageXdr stream = MessageXdr.received(message);
        for (byte step : plan) {
            MemorySegment data = data(arena, step);
            if ((step & 3) == 0) {
                check(stream.xdrDecodeInt() == step, "another number");
            } else if ((step & 3) == 1) {
                check(OpaqueSegment.view(stream).mismatch(data) == -1, "another view");
            } else {
                MemorySegment into = arena.allocate(data.byteSize() + 1);
                check(OpaqueSegment.decode(stream, into) == data.byteSize() && into.asSlice(0, data.byteSize()).mismatch(data) == -1,
                        "another item");
            }
        }
    }

    private static MemorySegment data(Arena arena, byte step) {
        int length = (step & 0xff) >> 2;
        MemorySegment data = (step & 3) == 3 ? MemorySegment.ofArray(new byte[length])
                : arena.allocate(Math.max(1, length)).asSlice(0, length);
        for (int i = 0; i < length; i++) {
            data.set(ValueLayout.JAVA_BYTE, i, (byte) (length + i));
        }
        return data;
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
