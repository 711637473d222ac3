package org.panamaverbs.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RdmaRpcOptionsTest {
    private static final RdmaRpcOptions DEFAULTS = RdmaRpcOptions.defaults();

    /** A change, and the components that it sets. */
    private static Arguments change(UnaryOperator<RdmaRpcOptions> change, String... components) {
        return Arguments.of(change, Set.of(components));
    }

    static Object[] changes() {
        return new Object[] { change(options -> options.withVersions(2, 2), "lowestVersion", "highestVersion"),
                change(options -> options.withCredits(1, 0), "credits", "backwardCredits"),
                change(options -> options.withInline(1024, 262_144), "sendSize", "receiveSize"),
                change(options -> options.withRemoteInvalidation(false), "remoteInvalidation"),
                change(options -> options.withSizes(1, 1024, 2), "replySize", "messageSize", "chunkSegments"),
                change(options -> options.withChunks(3, 1024), "readChunks", "writeChunks"),
                change(options -> options.withFirstCallDelay(Duration.ZERO), "firstCallDelay") };
    }

    /** Components of one type are easily confused. */
    @ParameterizedTest
    @MethodSource("changes")
    void shouldChangeItsComponentsAlone(UnaryOperator<RdmaRpcOptions> change, Set<String> components) throws ReflectiveOperationException {
        RdmaRpcOptions changed = change.apply(DEFAULTS);
        Set<String> different = new HashSet<>();
        for (RecordComponent component : RdmaRpcOptions.class.getRecordComponents()) {
            if (!component.getAccessor().invoke(DEFAULTS).equals(component.getAccessor().invoke(changed))) {
                different.add(component.getName());
            }
        }
        assertEquals(components, different);
    }

    @Test
    void shouldKeepEachOfTheTwoValuesInItsPlace() {
        RdmaRpcOptions options = DEFAULTS.withVersions(1, 2).withCredits(5, 6).withInline(4096, 8192).withSizes(7, 2048, 9).withChunks(10,
                11);
        assertEquals(1, options.lowestVersion());
        assertEquals(2, options.highestVersion());
        assertEquals(5, options.credits());
        assertEquals(6, options.backwardCredits());
        assertEquals(4096, options.sendSize());
        assertEquals(8192, options.receiveSize());
        assertEquals(7, options.replySize());
        assertEquals(2048, options.messageSize());
        assertEquals(9, options.chunkSegments());
        assertEquals(10, options.readChunks());
        assertEquals(11, options.writeChunks());
        assertNotEquals(DEFAULTS, options);
    }

    private static Arguments refused(UnaryOperator<RdmaRpcOptions> change, String message) {
        return Arguments.of(change, message);
    }

    static Object[] refusals() {
        return new Object[] { refused(options -> options.withVersions(0, 1), "lowestVersion is 1 to 2, not 0"),
                refused(options -> options.withVersions(2, 1), "highestVersion is 2 to 2, not 1"),
                refused(options -> options.withVersions(1, 3), "highestVersion is 1 to 2, not 3"),
                refused(options -> options.withCredits(0, 0), "credits is 1 to 1024, not 0"),
                refused(options -> options.withCredits(1025, 0), "credits is 1 to 1024, not 1025"),
                refused(options -> options.withCredits(1, -1), "backwardCredits is 0 to 1024, not -1"),
                refused(options -> options.withInline(1000, 4096), "sendSize is a multiple of 1,024 from 1,024 to 262,144, not 1000"),
                refused(options -> options.withInline(4096, 0), "receiveSize is a multiple of 1,024 from 1,024 to 262,144, not 0"),
                refused(options -> options.withInline(4096, 263_168),
                        "receiveSize is a multiple of 1,024 from 1,024 to 262,144, not 263168"),
                refused(options -> options.withVersions(1, 2).withInline(4096, 3072),
                        "version 2 needs receives of 4,096 bytes or more, not 3072"),
                refused(options -> options.withSizes(-1, 1024, 1), "replySize is 0 to 2147483647, not -1"),
                refused(options -> options.withSizes(0, 1023, 1), "messageSize is 1024 to 2147483647, not 1023"),
                refused(options -> options.withSizes(0, 1024, 0), "chunkSegments is 1 to 2147483647, not 0"),
                refused(options -> options.withChunks(-1, 0), "readChunks is 0 to 1024, not -1"),
                refused(options -> options.withChunks(0, 1025), "writeChunks is 0 to 1024, not 1025"),
                refused(options -> options.withFirstCallDelay(Duration.ofNanos(-1)), "firstCallDelay is 0 or more, not PT-0.000000001S") };
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void shouldNameTheOptionThatCannotBe(UnaryOperator<RdmaRpcOptions> change, String message) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, () -> change.apply(DEFAULTS)).getMessage());
    }

    @Test
    void shouldSpeakTheVersionThatAllServersHave() {
        assertEquals(1, DEFAULTS.lowestVersion());
        assertEquals(1, DEFAULTS.highestVersion());
        assertTrue(DEFAULTS.remoteInvalidation());
    }
}
