package org.panamaverbs.rpcrdma.message;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A message whose items the peer placed or did not place, decoded in any order. The first bytes say how many were placed and how long they
 * are, and which items are decoded; the rest is the message.
 */
public final class MessageXdrFuzz {
    private static final int PLAN = 8;
    private static final int ROOM = 64;

    private MessageXdrFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length < PLAN) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = arena.allocate(input.length - PLAN);
            MemorySegment.copy(input, PLAN, message, ValueLayout.JAVA_BYTE, 0, input.length - PLAN);
            MemorySegment[] placed = new MemorySegment[input[0] & 3];
            for (int i = 0; i < placed.length; i++) {
                int length = input[1 + i] & 0x7f;
                placed[i] = input[1 + i] < 0 ? null : arena.allocate(length);
            }
            decode(MessageXdr.received(message, placed), arena, message, input);
        }
    }

    private static void decode(MessageXdr xdr, Arena arena, MemorySegment message, byte[] input) {
        MemorySegment around = arena.allocate(3 * ROOM);
        MemorySegment into = around.asSlice(ROOM, ROOM);
        try {
            for (int step = 4; step < PLAN; step++) {
                switch (input[step] & 0xf) {
                    case 0 -> check(xdr.decodeSegment(into) <= ROOM, "more than there is room for");
                    case 1 -> {
                        MemorySegment view = xdr.decodeView();
                        check(view.address() >= message.address()
                                && view.byteSize() <= message.address() + message.byteSize() - view.address(), "a view beyond the message");
                    }
                    case 2 -> xdr.xdrDecodeInt();
                    case 3 -> xdr.xdrDecodeString();
                    case 4 -> xdr.xdrDecodeDynamicOpaque();
                    case 5 -> xdr.xdrDecodeByteBuffer();
                    case 6 -> xdr.xdrDecodeByteVector();
                    case 7 -> xdr.xdrDecodeShortVector();
                    case 8 -> xdr.xdrDecodeIntVector();
                    case 9 -> xdr.xdrDecodeLongVector();
                    case 10 -> xdr.xdrDecodeFloatVector();
                    case 11 -> xdr.xdrDecodeDoubleVector();
                    default -> xdr.xdrDecodeBoolean();
                }
            }
        } catch (IOException e) {
            // Garbled, as it may be.
        }
        check(around.asSlice(0, ROOM).mismatch(MemorySegment.ofArray(new byte[ROOM])) == -1
                && around.asSlice(2 * ROOM).mismatch(MemorySegment.ofArray(new byte[ROOM])) == -1, "bytes beside the room were written");
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
