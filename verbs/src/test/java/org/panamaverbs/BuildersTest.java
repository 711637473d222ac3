package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.DeviceIdentity;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.ObjectLimits;
import org.panamaverbs.device.PortAttributes;

/** The builders of the records that providers make. */
class BuildersTest {
    static Stream<Object> builders() {
        return Stream.of(DeviceAttributes.builder("none"), PortAttributes.builder(1), ObjectLimits.builder(),
                QueuePairStatistics.builder());
    }

    /** Two components of one type are easily confused; each gets a value of its own. */
    @ParameterizedTest
    @MethodSource("builders")
    void shouldSetEachComponentAndNoOther(Object builder) throws ReflectiveOperationException {
        Class<?> type = builder.getClass().getEnclosingClass();
        RecordComponent[] components = type.getRecordComponents();
        Object before = build(builder);
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            if (isGivenFirst(type, component)) {
                continue;
            }
            Object value = value(component.getType(), i + 3);
            assertNotEquals(value, component.getAccessor().invoke(before), component::getName);
            builder.getClass().getMethod(component.getName(), component.getType()).invoke(builder, value);
        }
        Object built = build(builder);
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            Object expected = isGivenFirst(type, component) ? component.getAccessor().invoke(before) : value(component.getType(), i + 3);
            assertEquals(expected, component.getAccessor().invoke(built), component::getName);
        }
    }

    @Test
    void shouldDescribeADeviceWithNothingOptional() {
        DeviceAttributes device = DeviceAttributes.builder("none").build();
        assertEquals(0, device.maximumInline());
        assertEquals(0, device.maximumOutboundReads());
        assertEquals(0, device.objects().sharedReceiveQueues());
        assertEquals(1, device.completionVectors());
        assertEquals(PortAttributes.State.ACTIVE, PortAttributes.builder(7).build().state());
    }

    @Test
    void shouldRefuseNullWhereItIsGiven() {
        assertThrows(NullPointerException.class, () -> DeviceAttributes.builder(null));
        assertThrows(NullPointerException.class, () -> DeviceAttributes.builder("none").objects(null));
        assertThrows(NullPointerException.class, () -> PortAttributes.builder(1).identifiers(null));
    }

    private static boolean isGivenFirst(Class<?> type, RecordComponent component) {
        return type == DeviceAttributes.class && component.getName().equals("transport")
                || type == PortAttributes.class && component.getName().equals("number");
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
