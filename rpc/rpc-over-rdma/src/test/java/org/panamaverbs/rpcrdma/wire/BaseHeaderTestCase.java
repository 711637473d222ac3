package org.panamaverbs.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.rpcrdma.wire.HeaderReader.Outcome;

/** The vectors of a resource, read, and written again to the same bytes; a subclass names the resource by a method {@code vectors}. */
abstract class BaseHeaderTestCase {
    @ParameterizedTest
    @MethodSource("vectors")
    void shouldReadEachHeader(Vector vector) {
        Reading reading = Reading.of(vector.message());
        assertEquals(vector.found(), reading.found());
        if (reading.outcome() == Outcome.SOUND) {
            assertEquals(vector.headerLength(), reading.reader().payloadOffset(), "the offset of the payload");
            assertEquals(vector.message().length - vector.headerLength(), reading.reader().payloadLength());
        }
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void shouldWriteEachHeaderToTheSameBytes(Vector vector) {
        byte[] header = Arrays.copyOf(vector.message(), vector.headerLength());
        Reading.of(vector.message()).written().ifPresent(written -> assertArrayEquals(header, written));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void shouldFindTheSameAfterAnyOtherMessage(Vector vector) {
        HeaderReader used = new HeaderReader();
        for (Vector before : Vector.all()) {
            Reading.of(used, before.message());
            assertEquals(vector.found(), Reading.of(used, vector.message()).found(), () -> "after: " + before);
        }
    }
}
