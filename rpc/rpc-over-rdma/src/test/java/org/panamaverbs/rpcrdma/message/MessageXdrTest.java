package org.panamaverbs.rpcrdma.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.conformance.Requirement;

/** Counts that a peer made up. Found by {@link MessageXdrFuzz}: a count of 2^31 - 1 took 2 GiB of the heap, or overflowed. */
class MessageXdrTest {
    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final Map<String, Decoder> DECODERS = Map.of("dynamic opaque", MessageXdr::xdrDecodeDynamicOpaque, "string",
            MessageXdr::xdrDecodeString, "byte buffer", MessageXdr::xdrDecodeByteBuffer, "bytes", MessageXdr::xdrDecodeByteVector, "shorts",
            MessageXdr::xdrDecodeShortVector, "ints", MessageXdr::xdrDecodeIntVector, "longs", MessageXdr::xdrDecodeLongVector, "floats",
            MessageXdr::xdrDecodeFloatVector, "doubles", MessageXdr::xdrDecodeDoubleVector, "view", MessageXdr::decodeView);

    private final Arena arena = Arena.ofAuto();

    @FunctionalInterface
    private interface Decoder {
        Object decode(MessageXdr xdr) throws IOException;
    }

    private record Case(String name, Decoder decoder, int count) {
        @Override
        public String toString() {
            return Integer.toUnsignedString(count) + " of: " + name;
        }
    }

    private static Stream<Case> cases() {
        return DECODERS.entrySet().stream()
                .flatMap(entry -> Stream.of(17, 0x2000_0000, 0x2000_0001, Integer.MAX_VALUE, Integer.MIN_VALUE, -1)
                        .map(count -> new Case(entry.getKey(), entry.getValue(), count)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldRefuseACountThatTheStreamDoesNotHold(Case counted) {
        MemorySegment message = arena.allocate(20);
        message.set(WORD, 0, counted.count());
        assertThrows(IOException.class, () -> counted.decoder().decode(MessageXdr.received(message)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldRefuseAStreamWithoutACount(Case counted) {
        assertThrows(IOException.class, () -> counted.decoder().decode(MessageXdr.received(arena.allocate(4).asSlice(0, 3))));
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldDecodeWhatTheStreamHolds(String name) throws IOException {
        MemorySegment message = arena.allocate(24);
        message.set(WORD, 0, 2);
        MessageXdr xdr = MessageXdr.received(message);
        DECODERS.get(name).decode(xdr);
        int wide = List.of("longs", "doubles").contains(name) ? 16 : List.of("bytes", "shorts", "ints", "floats").contains(name) ? 8 : 4;
        assertEquals(4 + wide, xdr.asBuffer().position());
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 3, 5, -1 })
    @Requirement("RFC8166-6.1-c")
    void shouldRefuseAResultThatIsNotAsLongAsWhatThePeerPlaced(int count) {
        MemorySegment message = arena.allocate(20);
        message.set(WORD, 0, count);
        MemorySegment placed = arena.allocate(4);
        assertThrows(IOException.class, () -> MessageXdr.received(message, placed).decodeSegment(placed));
    }

    /** Found by {@link MessageXdrFuzz}: it was an IndexOutOfBoundsException. */
    @Test
    void shouldRefuseAPlacedResultThatIsLongerThanTheSegmentItIsDecodedInto() {
        MemorySegment message = arena.allocate(20);
        message.set(WORD, 0, 8);
        MemorySegment placed = arena.allocate(8);
        assertThrows(IOException.class, () -> MessageXdr.received(message, placed).decodeSegment(arena.allocate(4)));
    }

    private static Stream<String> names() {
        return DECODERS.keySet().stream().sorted();
    }
}
