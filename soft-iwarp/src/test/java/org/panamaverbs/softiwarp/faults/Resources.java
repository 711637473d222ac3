package org.panamaverbs.softiwarp.faults;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.panamaverbs.Verbs;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;
import org.panamaverbs.softiwarp.transport.shared.SharedMultiplexer;

/** The holdings of a process and its device: descriptors, threads, native memory, and the objects of each layer, read from private fields. */
final class Resources {
    static final String NATIVE_BYTES = "nativeBytes";
    static final String HEAP_BYTES = "heapBytes";

    private Resources() {
    }

    /** Counts. Automatic arenas give their memory back with a collection, which the caller may have to ask for. */
    static Map<String, Long> count(Verbs verbs) {
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("descriptors", descriptors());
        counts.put("threads", (long) Thread.getAllStackTraces().size());
        Object device = verbs.device();
        Object buffers = field(device, "buffers");
        // The pool keeps buffers for the next connection.
        long kept = (long) (int) field(buffers, "kept") * (int) field(buffers, "size");
        counts.put(NATIVE_BYTES, -kept + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum());
        counts.put(HEAP_BYTES, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        counts.put("regions", (long) (int) field(field(device, "table"), "live"));
        counts.put("children", (long) ((Collection<?>) field(field(device, "children"), "open")).size());
        counts.put("buffers", (long) (int) field(buffers, "lent"));
        long drivers = 0;
        long attempts = 0;
        long sockets = 0;
        for (Object loop : (Collection<?>) field(device, "loops")) {
            drivers += ((Collection<?>) field(loop, "drivers")).size();
            attempts += ((Collection<?>) field(loop, "attempts")).size();
            Object multiplexer = field(loop, "multiplexer");
            if (multiplexer instanceof SharedMultiplexer) {
                multiplexer = field(multiplexer, "epoll");
            }
            if (multiplexer instanceof EpollMultiplexer) {
                Object slots = field(multiplexer, "slots");
                sockets += (int) field(slots, "used") - (int) field(slots, "freeCount");
            } else {
                sockets += ((Selector) field(multiplexer, "selector")).keys().size();
            }
        }
        counts.put("mappings", mappings());
        counts.put("drivers", drivers);
        counts.put("attempts", attempts);
        counts.put("sockets", sockets);
        return counts;
    }

    /** Sockets, epoll sets and pipes; the JVM opens its own files when it likes. */
    private static long descriptors() {
        long count = 0;
        for (File file : new File("/proc/self/fd").listFiles()) {
            try {
                String target = Files.readSymbolicLink(file.toPath()).toString();
                count += target.startsWith("socket:") || target.startsWith("anon_inode:") || target.startsWith("pipe:") ? 1 : 0;
            } catch (IOException e) {
                // The descriptor of the listing itself.
            }
        }
        return count;
    }

    /** Of memory that is shared with peers. */
    private static long mappings() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("panama-verbs-rings")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Object field(Object object, String name) {
        try {
            Field field = object.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(object);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(object.getClass() + " has no field " + name + ": what holds resources has changed", e);
        }
    }
}
