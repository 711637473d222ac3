package org.panamaverbs;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.spi.support.Workers;
import org.panamaverbs.statistics.ConnectionStatistics;
import org.panamaverbs.statistics.DeviceStatistics;
import org.panamaverbs.statistics.DistinctError;
import org.panamaverbs.statistics.PinnedMemory;
import org.panamaverbs.statistics.file.MappedText;
import org.panamaverbs.statistics.file.StatisticsLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the statistics of a session's devices into a file, once a second, by a thread of its own: for {@code pverbs stat}. Nothing on the path
 * of requests knows of it. If the file cannot be written, the log says so once, and the session goes on.
 */
// Tested by StatCommandTest.
final class StatisticsPublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatisticsPublisher.class);

    private final String provider;
    private final List<Device> devices;
    private final MappedText file;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;

    private StatisticsPublisher(String provider, List<Device> devices, MappedText file) {
        this.provider = provider;
        this.devices = devices;
        this.file = file;
        this.thread = Workers.start("panama-verbs-statistics", this::run);
    }

    /** Starts; {@code null} if the file cannot be made. */
    static @Nullable StatisticsPublisher start(String provider, List<Device> devices) {
        try {
            return new StatisticsPublisher(provider, devices, new MappedText(StatisticsLayout.folder()));
        } catch (IOException | RuntimeException e) {
            LOG.warn("statistics are not written (setting {}): {}", Configuration.STATISTICS.name(), e.toString());
            return null;
        }
    }

    private void run() {
        try {
            do {
                file.publish(text(), System.currentTimeMillis());
            } while (!closing.await(1, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            // Nobody has this thread to interrupt it.
            Thread.currentThread().interrupt();
        } catch (RuntimeException | InternalError e) {
            LOG.warn("statistics are no longer written (setting {}): {}", Configuration.STATISTICS.name(), e.toString());
        }
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (Device device : devices) {
            DeviceStatistics statistics = device.statistics();
            line(text, "device", device.name(), provider);
            statistics.counts().forEach((name, count) -> line(text, "count", name, count));
            PinnedMemory memory = device.pinnedMemory();
            line(text, "memory", memory.registeredBytes(), memory.pinnedBytes(), memory.pinnedByProcess().orElse(-1),
                    memory.limit().orElse(-1));
            memory.holders().forEach(
                    holder -> line(text, "holder", holder.owner(), holder.regions(), holder.registeredBytes(), holder.pinnedBytes()));
            for (DistinctError error : statistics.errors()) {
                line(text, "error", error.count(), error.first().toEpochMilli(), error.last().toEpochMilli(), error.text());
            }
            // Last, as these may be many.
            for (ConnectionStatistics connection : device.connections()) {
                line(text, "connection", connection.local(), connection.remote(), connection.path(), connection.queuePair(),
                        connection.since().toEpochMilli(), connection.counts().counts().entrySet().stream()
                                .map(each -> each.getKey() + "=" + each.getValue()).collect(Collectors.joining(",")));
            }
        }
        return text.toString();
    }

    private static void line(StringBuilder text, Object... fields) {
        for (int i = 0; i < fields.length; i++) {
            String field = fields[i] instanceof InetSocketAddress address ? address(address) : fields[i].toString();
            text.append(i == 0 ? "" : "\t").append(field.replaceAll("[\\t\\r\\n\\f\\x0b\\x85\\u2028\\u2029]", " "));
        }
        text.append('\n');
    }

    /** Without the name of a host, which a look-up may have brought. */
    private static String address(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        return host == null ? address.toString()
                : (host instanceof Inet6Address ? "[" + host.getHostAddress() + "]" : host.getHostAddress()) + ":" + address.getPort();
    }

    /** Removes the file. */
    @Override
    public void close() {
        closing.countDown();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("the file of statistics stays: {}", e.toString());
        }
    }
}
