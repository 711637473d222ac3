package org.panamaverbs.softiwarp.overhead;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The memory that an object takes, with all that it alone reaches: native segments, arrays and objects of the project, counted field by
 * field as a JVM with compressed references lays them out, give or take the gaps. Of objects of the JDK it sees only that they are there.
 */
final class Footprint {
    private static final String OURS = "org.panamaverbs.";
    /** Objects that belong to a device, a loop or a completion queue, and not to their user. */
    private static final Set<String> SHARED = Set.of("SoftDevice", "SoftProtectionDomain", "SoftCompletionQueue", "SoftSharedReceiveQueue",
            "SoftMemoryRegion", "CompletionRing", "StagTable", "RegisteredMemory", "BufferPool", "View", "EventLoop", "EpollMultiplexer",
            "NioMultiplexer", "SharedMultiplexer", "TcpOptions");
    private static final int HEADER = 16;
    private static final int REFERENCE = 4;
    private static final int OF_THE_JDK = 48;

    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Long> addresses = new HashSet<>();
    private final Deque<Object> left = new ArrayDeque<>();
    private final Map<String, Long> parts = new TreeMap<>();
    private long heap;
    private long outside;

    private Footprint() {
    }

    /** Counts. */
    static Footprint of(Object root) throws IllegalAccessException {
        Footprint footprint = new Footprint();
        footprint.reach(root);
        while (!footprint.left.isEmpty()) {
            footprint.count(footprint.left.pop());
        }
        return footprint;
    }

    long bytes() {
        return heap + outside;
    }

    private void reach(Object object) {
        if (object != null && !isShared(object.getClass()) && seen.add(object)) {
            left.push(object);
        }
    }

    private static boolean isShared(Class<?> type) {
        return type.isEnum() || Enum.class.isAssignableFrom(type) || type == Class.class || type == String.class
                || Thread.class.isAssignableFrom(type) || SHARED.contains(type.getSimpleName());
    }

    private void count(Object object) throws IllegalAccessException {
        Class<?> type = object.getClass();
        if (object instanceof MemorySegment segment) {
            heap(type, OF_THE_JDK);
            if (segment.isNative() && addresses.add(segment.address())) {
                outside += segment.byteSize();
                parts.merge("native, of " + segment.byteSize(), segment.byteSize(), Long::sum);
            }
        } else if (type.isArray()) {
            int length = Array.getLength(object);
            heap(type, HEADER + (long) length * size(type.componentType()));
            if (object instanceof Object[] elements) {
                for (Object element : elements) {
                    reach(element);
                }
            }
        } else if (type.getName().startsWith(OURS)) {
            heap(type, HEADER + fields(object, type));
        } else {
            heap(type, OF_THE_JDK);
        }
    }

    private void heap(Class<?> type, long bytes) {
        long whole = (bytes + 7) / 8 * 8;
        heap += whole;
        parts.merge(type.getSimpleName(), whole, Long::sum);
    }

    private long fields(Object object, Class<?> type) throws IllegalAccessException {
        long bytes = 0;
        for (Class<?> each = type; each != Object.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    bytes += size(field.getType());
                    if (!field.getType().isPrimitive()) {
                        field.setAccessible(true);
                        reach(field.get(object));
                    }
                }
            }
        }
        return bytes;
    }

    private static int size(Class<?> type) {
        if (type == long.class || type == double.class) {
            return Long.BYTES;
        }
        if (type == byte.class || type == boolean.class) {
            return 1;
        }
        return type == short.class || type == char.class ? Short.BYTES : REFERENCE;
    }

    @Override
    public String toString() {
        return bytes() + " bytes, " + heap + " of them heap and " + outside + " native: " + parts;
    }
}
