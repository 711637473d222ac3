package org.panamaverbs.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.OptionalLong;
import org.panamaverbs.Device;
import org.panamaverbs.statistics.DistinctError;

/**
 * The meters of a device, with the tags {@code device} and {@code provider}.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>kind</th><th>from</th></tr>
 * <tr><td>{@code panamaverbs.} and the name of a count, with dots, as {@code panamaverbs.connections.established}</td><td>counter</td>
 * <td>{@link Device#statistics()}; only the counts that the provider has</td></tr>
 * <tr><td>{@code panamaverbs.errors}</td><td>counter</td><td>errors that ended connections</td></tr>
 * <tr><td>{@code panamaverbs.connections.open}</td><td>gauge</td><td>{@link Device#connections()}</td></tr>
 * <tr><td>{@code panamaverbs.memory.registered}, {@code panamaverbs.memory.pinned}</td><td>gauge, bytes</td>
 * <td>{@link Device#pinnedMemory()}</td></tr>
 * <tr><td>{@code panamaverbs.memory.pinned.process}, {@code panamaverbs.memory.limit}</td><td>gauge, bytes</td>
 * <td>of the whole process; NaN if the system does not say, or no limit applies</td></tr>
 * </table>
 *
 * {@snippet :
 * new DeviceMetrics(verbs.device()).bindTo(registry);
 * }
 */
public final class DeviceMetrics implements MeterBinder {
    private static final String PREFIX = "panamaverbs.";

    private final Device device;

    /**
     * Makes the meters of a device; {@link #bindTo} registers them.
     *
     * @param device an open device. The registry holds it weakly: meters of a device that the program drops go on with NaN
     */
    public DeviceMetrics(Device device) {
        this.device = Objects.requireNonNull(device);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Tags tags = Tags.of("device", device.name(), "provider", device.provider());
        for (String name : device.statistics().counts().keySet()) {
            FunctionCounter.builder(PREFIX + name.replace(' ', '.'), device, each -> each.statistics().counts().get(name)).tags(tags)
                    .register(registry);
        }
        FunctionCounter
                .builder(PREFIX + "errors", device, each -> each.statistics().errors().stream().mapToLong(DistinctError::count).sum())
                .tags(tags).description("Errors that ended connections").register(registry);
        Gauge.builder(PREFIX + "connections.open", device, each -> each.connections().size()).tags(tags).register(registry);
        Gauge.builder(PREFIX + "memory.registered", device, each -> each.pinnedMemory().registeredBytes()).tags(tags)
                .baseUnit(BaseUnits.BYTES).register(registry);
        Gauge.builder(PREFIX + "memory.pinned", device, each -> each.pinnedMemory().pinnedBytes()).tags(tags).baseUnit(BaseUnits.BYTES)
                .register(registry);
        Gauge.builder(PREFIX + "memory.pinned.process", device, each -> orNaN(each.pinnedMemory().pinnedByProcess())).tags(tags)
                .baseUnit(BaseUnits.BYTES).description("Pinned by the whole process").register(registry);
        Gauge.builder(PREFIX + "memory.limit", device, each -> orNaN(each.pinnedMemory().limit())).tags(tags).baseUnit(BaseUnits.BYTES)
                .description("How much the process may pin (RLIMIT_MEMLOCK)").register(registry);
    }

    private static double orNaN(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : Double.NaN;
    }
}
