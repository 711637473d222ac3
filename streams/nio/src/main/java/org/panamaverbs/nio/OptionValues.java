package org.panamaverbs.nio;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.cm.Route;
import org.panamaverbs.sockets.StreamOptions;

/**
 * The socket options of a channel over verbs. They keep the values that a program gives them, as the JDK's do. A stream uses the sizes of
 * its buffers, the type of service and SO_LINGER; the others concern TCP alone.
 */
// Tested by ChannelRulesTest.
final class OptionValues {
    private final Models models;
    private final Set<SocketOption<?>> supported;
    /** The values before the program has set any. */
    private final Map<SocketOption<?>, @Nullable Object> usual;
    /** Those that the program has set. */
    private final Map<SocketOption<?>, Object> asked = new HashMap<>();

    /** Opens a channel of the JDK with these options. */
    @FunctionalInterface
    interface Models {
        NetworkChannel open() throws IOException;
    }

    /** @param models channels of the JDK with these options */
    OptionValues(Models models) throws IOException {
        this.models = models;
        usual = new HashMap<>();
        try (NetworkChannel model = models.open()) {
            supported = model.supportedOptions();
            for (SocketOption<?> option : supported) {
                try {
                    usual.put(option, model.getOption(option));
                } catch (IOException | UnsupportedOperationException e) {
                    // An option that this system lists and does not have.
                    usual.put(option, null);
                }
            }
        }
    }

    private OptionValues(OptionValues other) {
        models = other.models;
        supported = other.supported;
        usual = other.usual;
        asked.putAll(other.asked);
    }

    /** {@return a copy for another channel} */
    synchronized OptionValues copy() {
        return new OptionValues(this);
    }

    Set<SocketOption<?>> supported() {
        return supported;
    }

    /** Refuses an option that the channel does not have. */
    void check(SocketOption<?> option) {
        if (!supported.contains(Objects.requireNonNull(option))) {
            throw new UnsupportedOperationException("'" + option + "' not supported");
        }
    }

    /** Refuses a value of another type, too. */
    void check(SocketOption<?> option, @Nullable Object value) {
        check(option);
        if (!option.type().isInstance(value)) {
            throw new IllegalArgumentException("Invalid value '" + value + "'");
        }
    }

    /** Sets it on the channel of the JDK that carries the channel. */
    synchronized <T> void set(NetworkChannel carrier, SocketOption<T> option, T value) throws IOException {
        carrier.setOption(option, value);
        asked.put(option, value);
    }

    /** Sets it on a channel over verbs. */
    synchronized <T> void set(SocketOption<T> option, T value) throws IOException {
        if (value instanceof Boolean) {
            asked.put(option, value);
            return;
        }
        // The system checks numbers, and rounds them.
        try (NetworkChannel trial = models.open()) {
            trial.setOption(option, value);
            asked.put(option,
                    isBuffer(option) ? (Object) Math.max((Integer) value, (Integer) trial.getOption(option)) : trial.getOption(option));
        }
    }

    /** The largest buffers of the system's sockets are no limit for a stream. */
    private static boolean isBuffer(SocketOption<?> option) {
        return option == StandardSocketOptions.SO_RCVBUF || option == StandardSocketOptions.SO_SNDBUF;
    }

    /** {@return the value of a channel over verbs} */
    @SuppressWarnings("unchecked")
    synchronized <T> @Nullable T get(SocketOption<T> option) {
        return (T) asked.getOrDefault(option, usual.get(option));
    }

    /** Sets the program's values on a channel of the JDK. */
    synchronized void copyTo(NetworkChannel channel) throws IOException {
        for (Map.Entry<SocketOption<?>, Object> each : asked.entrySet()) {
            copy(channel, each.getKey(), each.getValue());
        }
    }

    /** Gives the program's values on a server's channel to a channel that the server accepts. */
    synchronized void copyTo(OptionValues accepted) {
        // On Linux, the JDK sets it on each server.
        Object reuses = usual.get(StandardSocketOptions.SO_REUSEADDR);
        if (reuses != null) {
            accepted.asked.put(StandardSocketOptions.SO_REUSEADDR, reuses);
        }
        asked.forEach((option, value) -> {
            if (accepted.supported.contains(option)) {
                accepted.asked.put(option, value);
            }
        });
    }

    @SuppressWarnings("unchecked")
    private static <T> void copy(NetworkChannel channel, SocketOption<T> option, Object value) throws IOException {
        if (channel.supportedOptions().contains(option)) {
            channel.setOption(option, (T) value);
        }
    }

    /** {@return how a stream with these options behaves} */
    synchronized StreamOptions forStream() {
        StreamOptions options = StreamOptions.defaults();
        if (asked.get(StandardSocketOptions.SO_RCVBUF) instanceof Integer bytes) {
            options = options.withReceiveBuffer(buffer(bytes));
        }
        if (asked.get(StandardSocketOptions.SO_SNDBUF) instanceof Integer bytes) {
            options = options.withSendBuffer(buffer(bytes));
        }
        int linger = linger();
        return linger > 0 ? options.withLinger(Duration.ofSeconds(linger)) : options;
    }

    private static int buffer(int bytes) {
        return Math.clamp(bytes, StreamOptions.LEAST_BUFFER, StreamOptions.MOST_BUFFER);
    }

    /** {@return SO_LINGER in seconds; -1 if it is off} */
    synchronized int linger() {
        return asked.get(StandardSocketOptions.SO_LINGER) instanceof Integer seconds ? seconds : -1;
    }

    /** {@return for the route of a connection} */
    synchronized int typeOfService() {
        return asked.get(StandardSocketOptions.IP_TOS) instanceof Integer service ? service : Route.USUAL_SERVICE;
    }
}
