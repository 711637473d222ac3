package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DdpOptionsTest {
    private static final Predicate<byte[]> NOBODY = data -> false;

    private static Arguments change(UnaryOperator<DdpOptions> change, String name, Object value) {
        return Arguments.of(change, name, value);
    }

    static Object[] changes() {
        return new Object[] { change(options -> options.withSendTimeout(Duration.ZERO), "sendTimeout", Duration.ZERO),
                change(options -> options.withReceives(1), "receives", 1), change(options -> options.withIndications(2), "indications", 2),
                change(options -> options.withOrdered(true), "ordered", true),
                change(options -> options.withPayload(65_507), "payload", OptionalInt.of(65_507)),
                change(options -> options.withNetworkInterface("lo"), "networkInterface", Optional.of("lo")),
                change(options -> options.withTtl(255), "ttl", 255), change(options -> options.withReceiveBuffer(3), "receiveBuffer", 3),
                change(options -> options.withSeed(-4), "seed", -4L), change(options -> options.withQueues(256), "queues", 256),
                change(options -> options.withEveryTagged(true), "everyTagged", true),
                change(options -> options.withCrc(false), "crc", false),
                change(options -> options.withPrivateData(new byte[512]), "privateData", new byte[512]),
                change(options -> options.withAdmission(NOBODY), "admission", NOBODY) };
    }

    /** The value of each option, by its name. */
    private static Map<String, Object> values(DdpOptions options) throws ReflectiveOperationException {
        Map<String, Object> values = new HashMap<>();
        for (Method method : DdpOptions.class.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers()) && method.getParameterCount() == 0) {
                values.put(method.getName(), method.invoke(options));
            }
        }
        return values;
    }

    private static void assertDiffer(Map<String, Object> expected, DdpOptions options) throws ReflectiveOperationException {
        Map<String, Object> defaults = values(DdpOptions.DEFAULT);
        values(options).forEach((name, value) -> assertTrue(Objects.deepEquals(expected.getOrDefault(name, defaults.get(name)), value),
                () -> name + " is " + value));
        assertTrue(defaults.keySet().containsAll(expected.keySet()));
    }

    /** Options of one type are easily confused. */
    @ParameterizedTest
    @MethodSource("changes")
    void shouldChangeOneOptionAlone(UnaryOperator<DdpOptions> change, String name, Object value) throws ReflectiveOperationException {
        assertDiffer(Map.of(name, value), change.apply(DdpOptions.DEFAULT));
    }

    @Test
    @SuppressWarnings("unchecked") // as change() has them
    void shouldKeepAllThatChangedBefore() throws ReflectiveOperationException {
        DdpOptions options = DdpOptions.DEFAULT;
        Map<String, Object> expected = new HashMap<>();
        for (Object change : changes()) {
            Object[] row = ((Arguments) change).get();
            options = ((UnaryOperator<DdpOptions>) row[0]).apply(options);
            expected.put((String) row[1], row[2]);
            assertDiffer(expected, options);
        }
        assertEquals(values(DdpOptions.DEFAULT).keySet(), expected.keySet());
    }

    @Test
    void shouldKeepPrivateDataWhateverTheProgramDoesToItsOwn() {
        byte[] data = { 1 };
        DdpOptions options = DdpOptions.DEFAULT.withPrivateData(data);
        data[0] = 2;
        options.privateData()[0] = 3;
        assertArrayEquals(new byte[] { 1 }, options.privateData());
    }

    static Object[] refusals() {
        Map<String, UnaryOperator<DdpOptions>> refusals = Map.ofEntries(
                Map.entry("sendTimeout is 0 or more, not PT-1S", options -> options.withSendTimeout(Duration.ofSeconds(-1))),
                Map.entry("receives is 1 to 65536, not 0", options -> options.withReceives(0)),
                Map.entry("receives is 1 to 65536, not 65537", options -> options.withReceives(65_537)),
                Map.entry("indications is 1 to 65536, not 0", options -> options.withIndications(0)),
                Map.entry("payload is 1 to 65507, not 0", options -> options.withPayload(0)),
                Map.entry("payload is 1 to 65507, not 65508", options -> options.withPayload(65_508)),
                Map.entry("ttl is 0 to 255, not 256", options -> options.withTtl(256)),
                Map.entry("receiveBuffer is 1 to 2147483647, not 0", options -> options.withReceiveBuffer(0)),
                Map.entry("queues is 1 to 256, not 257", options -> options.withQueues(257)),
                Map.entry("privateData has at most 512 bytes, not 513", options -> options.withPrivateData(new byte[513])));
        return refusals.entrySet().stream().map(entry -> Arguments.of(entry.getValue(), entry.getKey())).toArray();
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void shouldNameTheOptionThatCannotBe(UnaryOperator<DdpOptions> change, String message) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, () -> change.apply(DdpOptions.DEFAULT)).getMessage());
    }
}
