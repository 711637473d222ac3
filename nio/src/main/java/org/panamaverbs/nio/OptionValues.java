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
import org.panamaverbs.cm.Route;
import org.panamaverbs.sockets.StreamOptions;

/**
 * The socket options of a channel over verbs. They keep the values that a program gives them, as the JDK's do. A stream uses the sizes of
 * its buffers, the type of service and SO_LINGER; the others concern TCP alone.
 */
// Tested by ChannelRulesTest.
final class OptionValues {
    private static final int MOST_LINGER = 65_535;
    private static final int MOST_SERVICE = 0xFF;

    private final Set<SocketOption<?>> supported;
    /** The values before the program has set any. */
    private final Map<SocketOption<?>, Object> usual;
    /** Those that the program has set. */
    private final Map<SocketOption<?>, Object> asked = new HashMap<>();

    /** @param model a channel of the JDK with these options */
    OptionValues(NetworkChannel model) throws IOException {
        supported = model.supportedOptions();
        usual = new HashMap<>();
        for (SocketOption<?> option : supported) {
            try {
                usual.put(option, model.getOption(option));
            } catch (IOException | UnsupportedOperationException e) {
                // An option that this system lists and does not have.
                usual.put(option, null);
            }
        }
    }

    private OptionValues(OptionValues other) {
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

    private void check(SocketOption<?> option) {
        if (!supported.contains(Objects.requireNonNull(option))) {
            throw new UnsupportedOperationException("'" + option + "' not supported");
        }
    }

    /** @param carrier the channel of the JDK that carries the channel, or {@code null} */
    synchronized <T> void set(NetworkChannel carrier, SocketOption<T> option, T value) throws IOException {
        check(option);
        if (carrier != null) {
            carrier.setOption(option, value);
        }
        asked.put(option, checked(option, option.type().cast(value)));
    }

    private static Object checked(SocketOption<?> option, Object value) {
        if (value == null) {
            throw new IllegalArgumentException("the value of " + option + " is null");
        }
        if (!(value instanceof Integer number)) {
            return value;
        }
        if (option == StandardSocketOptions.SO_LINGER) {
            return number < 0 ? -1 : Math.min(number, MOST_LINGER);
        }
        if (number < 0 || option == StandardSocketOptions.IP_TOS && number > MOST_SERVICE) {
            throw new IllegalArgumentException("option " + option + " does not take " + number);
        }
        return number;
    }

    /** @param carrier the channel of the JDK that carries the channel, or {@code null} */
    @SuppressWarnings("unchecked")
    synchronized <T> T get(NetworkChannel carrier, SocketOption<T> option) throws IOException {
        check(option);
        return carrier == null ? (T) asked.getOrDefault(option, usual.get(option)) : carrier.getOption(option);
    }

    /** Sets the program's values on a channel of the JDK. */
    synchronized void copyTo(NetworkChannel channel) throws IOException {
        for (Map.Entry<SocketOption<?>, Object> each : asked.entrySet()) {
            copy(channel, each.getKey(), each.getValue());
        }
    }

    /** Gives the program's values on a server's channel to a channel that the server accepts. */
    synchronized void copyTo(OptionValues accepted) {
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
