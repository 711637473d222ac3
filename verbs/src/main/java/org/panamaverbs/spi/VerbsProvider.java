package org.panamaverbs.spi;

import java.util.List;
import java.util.Optional;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.Setting;

/**
 * A provider of verbs: found by {@link java.util.ServiceLoader}, chosen by the setting {@code panamaverbs.provider}.
 *
 * <p>A provider has a public constructor without parameters that does next to nothing; no native library is loaded before
 * {@link #availability(Configuration)}.
 */
public interface VerbsProvider {
    /** {@return the name by which it is chosen; lower case, hyphens, never "auto"} */
    String name();

    /** {@return its rank if the choice is "auto": the greatest that is available is taken; any number; soft-iwarp has 0, the fallback} */
    int preference();

    /**
     * The part of its settings' names that follows {@value Setting#PREFIX}: {@code softiwarp} for {@code panamaverbs.softiwarp.crc}. No
     * other provider has settings there.
     *
     * @return the name of the provider without hyphens, unless the provider says otherwise
     */
    default String settingsPrefix() {
        return name().replace("-", "");
    }

    /**
     * The settings that it understands, besides those of {@link Configuration}.
     *
     * @return settings whose names start with {@value Setting#PREFIX}, {@link #settingsPrefix()} and a dot
     */
    List<Setting<?>> settings();

    /**
     * Whether it can be used here. It never throws.
     *
     * @param configuration the settings
     * @return yes or no, and why
     */
    Availability availability(Configuration configuration);

    /**
     * Starts it.
     *
     * @param configuration the settings
     * @return a session; the caller closes it
     * @throws org.panamaverbs.NoProviderException if it is not available after all
     */
    Session open(Configuration configuration);

    /**
     * Whether a provider can be used, and why.
     *
     * @param available whether it can be used
     * @param detail    one line: the thing that was found, or the thing that is missing (library, device, flag) and what to install or do
     */
    record Availability(boolean available, String detail) {
    }

    /** A running provider. */
    interface Session extends AutoCloseable {
        /** {@return its devices, opened; at least one, the preferred first} */
        List<Device> devices();

        /**
         * A further interface of the session, over all its devices, as {@link org.panamaverbs.cm.ConnectionManager}.
         *
         * @param type the interface
         * @param <T>  its type
         * @return empty if the session does not have it
         */
        default <T> Optional<T> extension(Class<T> type) {
            List<Device> devices = devices();
            return devices.size() == 1 ? devices.getFirst().extension(type) : Optional.empty();
        }

        /** Closes all devices and stops all threads. */
        @Override
        void close();
    }
}
