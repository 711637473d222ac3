package org.panamaverbs;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.spi.VerbsProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entry point of the API: an open provider, chosen by configuration, and its devices.
 *
 * {@snippet :
 * try (Arena arena = Arena.ofShared(); Verbs verbs = Verbs.open()) {
 *     MemorySegment segment = arena.allocate(1L << 30, 4096);
 *     try (ProtectionDomain domain = verbs.device().allocateProtectionDomain();
 *             MemoryRegion region = domain.register(segment, Access.LOCAL_WRITE, Access.REMOTE_WRITE)) {
 *         // connect, and tell the peer region.remoteKey() and region.address()
 *     }
 * }
 * }
 */
// Tested by ConfigurationTest, ProvidersTest.
public final class Verbs implements AutoCloseable {
    /** As a time limit: no limit. */
    public static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    private static final Logger LOG = LoggerFactory.getLogger(Verbs.class);

    private final Configuration configuration;
    private final VerbsProvider provider;
    private final String reason;
    private final VerbsProvider.Session session;
    private final @Nullable StatisticsPublisher publisher;

    private Verbs(Configuration configuration, Choice choice) {
        this.configuration = configuration;
        this.provider = choice.provider;
        this.reason = choice.reason;
        this.session = provider.open(configuration);
        this.publisher = configuration.get(Configuration.STATISTICS) ? StatisticsPublisher.start(provider.name(), session.devices()) : null;
    }

    /**
     * Opens the provider that system properties, environment and file choose.
     *
     * @return the caller closes it
     * @throws IllegalArgumentException for unknown settings or an unknown provider
     * @throws NoProviderException      if the chosen provider is not available, with the reason
     */
    public static Verbs open() {
        return open(Configuration.load());
    }

    /**
     * Opens the provider that the configuration chooses.
     *
     * @param configuration the settings
     * @return the caller closes it
     * @throws IllegalArgumentException for an unknown provider
     * @throws NoProviderException      if the chosen provider is not available, with the reason
     */
    public static Verbs open(Configuration configuration) {
        Choice choice = choose(configuration);
        LOG.info("provider {}: {}", choice.provider.name(), choice.reason);
        return new Verbs(configuration, choice);
    }

    /**
     * The provider of each name that can be found, and whether it is available here. A provider that is broken is listed too, with the
     * reason.
     *
     * @param configuration the settings
     * @return the preferred first, broken ones last
     */
    public static List<ProviderStatus> providers(Configuration configuration) {
        Providers providers = Providers.find();
        List<ProviderStatus> statuses = new ArrayList<>();
        for (Providers.Usable provider : providers.usable()) {
            VerbsProvider.Availability availability = provider.availability(configuration);
            statuses.add(new ProviderStatus(provider.name(), availability.available(), availability.detail()));
        }
        providers.refused().forEach(refused -> statuses.add(new ProviderStatus(refused.name(), false, refused.reason())));
        return List.copyOf(statuses);
    }

    /**
     * A provider and whether it can be used here.
     *
     * @param name      its name
     * @param available whether it can be used
     * @param detail    one line: the thing that was found, or the thing that is missing and the remedy
     */
    public record ProviderStatus(String name, boolean available, String detail) {
    }

    /** {@return the provider that was chosen; its name} */
    public String provider() {
        return provider.name();
    }

    /**
     * Why that provider was chosen.
     *
     * @return one line
     */
    public String reason() {
        return reason;
    }

    /** {@return the settings in force; the configuration that this was opened with} */
    public Configuration configuration() {
        return configuration;
    }

    /** {@return the provider's devices; at least one, the preferred first} */
    public List<Device> devices() {
        return session.devices();
    }

    /**
     * The device that the setting {@code panamaverbs.device} names, or else the first active one.
     *
     * @return an open device; it is closed with this
     * @throws IllegalArgumentException if no device has that name; the message lists those there are
     */
    public Device device() {
        String name = configuration.get(Configuration.DEVICE);
        if (!name.isEmpty()) {
            return device(name);
        }
        List<Device> devices = devices();
        return devices.stream().filter(device -> device.attributes().active()).findFirst().orElse(devices.getFirst());
    }

    /**
     * A device by its name.
     *
     * @param name as {@link Device#name()}
     * @return an open device; it is closed with this
     * @throws IllegalArgumentException if no device has that name; the message lists those there are
     */
    public Device device(String name) {
        return devices().stream().filter(device -> device.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("provider " + provider() + " has no device \"" + name + "\"; it has: "
                        + devices().stream().map(Device::name).collect(Collectors.joining(", "))));
    }

    /**
     * A further interface over all devices, as {@link org.panamaverbs.cm.ConnectionManager}.
     *
     * @param type the interface
     * @param <T>  its type
     * @return empty if the provider does not have it
     */
    public <T> Optional<T> extension(Class<T> type) {
        return session.extension(Objects.requireNonNull(type));
    }

    /** Closes every device with all that depends on it, and stops the provider's threads. */
    @Override
    public void close() {
        if (publisher != null) {
            publisher.close();
        }
        session.close();
    }

    private record Choice(VerbsProvider provider, String reason) {
    }

    private static Choice choose(Configuration configuration) {
        Providers providers = Providers.find();
        if (providers.usable().isEmpty()) {
            throw new NoProviderException("no provider was found" + Providers.describe(providers.refused())
                    + ": put panama-verbs-soft-iwarp on the class or module path");
        }
        String wanted = configuration.get(Configuration.PROVIDER);
        if (wanted.equals("auto")) {
            return chooseAvailable(providers, configuration);
        }
        Providers.Usable provider = providers.usable().stream().filter(candidate -> candidate.name().equals(wanted)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown provider \"" + wanted + "\"; known are: auto, "
                        + providers.usable().stream().map(Providers.Usable::name).collect(Collectors.joining(", "))
                        + Providers.describe(providers.refused())));
        VerbsProvider.Availability availability = provider.availability(configuration);
        if (!availability.available()) {
            throw new NoProviderException("provider " + wanted + " is not available: " + availability.detail());
        }
        return new Choice(provider.provider(), "chosen by " + Configuration.PROVIDER.name() + "; " + availability.detail());
    }

    private static Choice chooseAvailable(Providers providers, Configuration configuration) {
        List<String> passed = new ArrayList<>();
        for (Providers.Usable provider : providers.usable()) {
            VerbsProvider.Availability availability = provider.availability(configuration);
            if (availability.available()) {
                passed.add(availability.detail());
                return new Choice(provider.provider(), "chosen automatically; " + String.join("; ", passed));
            }
            passed.add(provider.name() + " is not available: " + availability.detail());
        }
        throw new NoProviderException("no provider is available: " + String.join("; ", passed) + Providers.describe(providers.refused()));
    }
}
