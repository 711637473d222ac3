package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.Transport;
import org.panamaverbs.device.DeviceIdentity;
import org.panamaverbs.device.DeviceStatistics;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.ObjectLimits;
import org.panamaverbs.device.PortAttributes;

/** The builders of what providers make. */
class BuildersTest {
    private static final Map<Class<?>, String> GIVEN_FIRST = Map.of(DeviceAttributes.class, "transport", PortAttributes.class, "number");
    private static final Set<String> OBJECT = Set.of("hashCode", "toString");

    static Stream<Object> builders() {
        return Stream.of(DeviceAttributes.builder(Transport.OTHER), PortAttributes.builder(1), ObjectLimits.builder(), QueuePairStatistics.builder(),
                DeviceStatistics.builder());
    }

    /** Two components of one type are easily confused; each gets a value of its own. */
    @ParameterizedTest
    @MethodSource("builders")
    void shouldSetEachComponentAndNoOther(Object builder) throws ReflectiveOperationException {
        Class<?> type = builder.getClass().getEnclosingClass();
        List<Method> setters = Stream.of(builder.getClass().getDeclaredMethods()).filter(method -> method.getParameterCount() == 1)
                .toList();
        List<Method> getters = Stream.of(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers()))
                .filter(method -> method.getParameterCount() == 0 && !OBJECT.contains(method.getName())).toList();
        Object before = build(builder);
        for (int i = 0; i < setters.size(); i++) {
            Method setter = setters.get(i);
            Object value = value(setter.getParameterTypes()[0], i + 3);
            assertNotEquals(value, type.getMethod(setter.getName()).invoke(before), setter::getName);
            setter.invoke(builder, value);
        }
        Object built = build(builder);
        Set<String> set = new HashSet<>();
        for (int i = 0; i < setters.size(); i++) {
            Method setter = setters.get(i);
            set.add(setter.getName());
            assertEquals(value(setter.getParameterTypes()[0], i + 3), type.getMethod(setter.getName()).invoke(built), setter::getName);
        }
        for (Method getter : getters) {
            assertTrue(set.contains(getter.getName()) || getter.getName().equals(GIVEN_FIRST.get(type)), getter::getName);
            if (!set.contains(getter.getName())) {
                assertEquals(getter.invoke(before), getter.invoke(built), getter::getName);
            }
        }
        assertEquals(built, build(builder));
        assertNotEquals(before, built);
    }

    @Test
    void shouldDescribeADeviceWithNothingOptional() {
        DeviceAttributes device = DeviceAttributes.builder(Transport.OTHER).build();
        assertEquals(0, device.maximumInline());
        assertEquals(0, device.maximumOutboundReads());
        assertEquals(0, device.objects().sharedReceiveQueues());
        assertEquals(1, device.completionVectors());
        assertEquals(PortAttributes.State.ACTIVE, PortAttributes.builder(7).build().state());
    }

    @Test
    void shouldRefuseNullWhereItIsGiven() {
        assertThrows(NullPointerException.class, () -> DeviceAttributes.builder(null));
        assertThrows(NullPointerException.class, () -> DeviceAttributes.builder(Transport.OTHER).objects(null));
        assertThrows(NullPointerException.class, () -> PortAttributes.builder(1).identifiers(null));
    }

    private static Object build(Object builder) throws ReflectiveOperationException {
        return builder.getClass().getMethod("build").invoke(builder);
    }

    private static Object value(Class<?> type, int number) {
        if (type == int.class) {
            return number;
        } else if (type == long.class) {
            return (long) number;
        } else if (type == double.class) {
            return (double) number;
        } else if (type == boolean.class) {
            return false;
        } else if (type == String.class) {
            return "text " + number;
        } else if (type == List.class) {
            return List.of(new GlobalIdentifier(number, number));
        } else if (type == PortAttributes.State.class) {
            return PortAttributes.State.ARMED;
        } else if (type == DeviceIdentity.class) {
            return new DeviceIdentity(number, 0, 0, 0, 0);
        }
        assertEquals(ObjectLimits.class, type);
        return ObjectLimits.builder().addressHandles(number).build();
    }
}
