package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.sockets.SocketLoop;
import org.panamaverbs.spi.support.Complaints;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The verbs of one provider. They are opened for the first channel over verbs, and stay open until the JVM ends. */
// Tested by ChannelRulesTest.
final class NioVerbs {
    /** How long the end of the JVM waits for peers that take the last bytes. */
    private static final long DRAIN_NANOS = 10_000_000_000L;
    /** The pause between two checks of these. */
    private static final long LOOK_NANOS = 1_000_000;
    private static final String SOFT_TRANSPORT = "panamaverbs.softiwarp.transport";

    private final Configuration configuration;
    private final NamedAddresses addresses;
    private final boolean fallsBack;
    private final Logger log;
    private final Complaints complaints;
    private final LongAdder verbsConnections = new LongAdder();
    private final LongAdder verbsBytes = new LongAdder();
    private final LongAdder otherConnections = new LongAdder();
    private final LongAdder otherBytes = new LongAdder();
    private final LongAdder fallBacks = new LongAdder();
    /** All loops, but those that have closed. */
    private final Set<SocketLoop> open = ConcurrentHashMap.newKeySet();
    // Guarded by this.
    private @Nullable Verbs verbs;
    private final Map<Device, SocketLoop> loops = new HashMap<>();

    /** @param type whose name the log has */
    NioVerbs(Configuration configuration, Class<?> type) {
        this.configuration = configuration;
        log = LoggerFactory.getLogger(type);
        complaints = new Complaints(type);
        addresses = configuration.get(NioSettings.ADDRESSES);
        fallsBack = configuration.get(NioSettings.FALL_BACK);
        String report = configuration.get(NioSettings.REPORT);
        if (!report.isEmpty()) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> report(Path.of(report))));
        }
        if (addresses.isEmpty()) {
            log.warn("no channel goes over verbs, since the setting {} names no address: write some behind the agent, as in "
                    + "-javaagent:AGENT.jar=10.1.0.0/16", NioSettings.ADDRESSES.name());
        } else {
            log.info("NIO channels to and from {} are to go over verbs, all others over TCP", addresses);
        }
    }

    /** {@return whether channels to or from this address go over verbs} */
    boolean carry(InetSocketAddress address) {
        return !address.isUnresolved() && addresses.contain(address);
    }

    boolean fallsBack() {
        return fallsBack;
    }

    /**
     * The connection manager of all devices.
     *
     * @throws IOException if no device can be opened
     */
    synchronized ConnectionManager connections() throws IOException {
        try {
            if (verbs == null) {
                checkTransport();
                verbs = Verbs.open(configuration);
                Runtime.getRuntime().addShutdownHook(new Thread(this::drain));
                log.info("NIO channels at {} go over verbs, provider {}", addresses, verbs.provider());
            }
            return ConnectionManager.of(verbs);
        } catch (VerbsException e) {
            throw new IOException(
                    "the address is one of " + addresses + ", which go over verbs, and no device can be opened: " + e.getMessage(), e);
        }
    }

    /** The transport nio would use the channels that stand on it. */
    private void checkTransport() throws IOException {
        for (Configuration.Entry entry : configuration.entries()) {
            if (entry.setting().name().equals(SOFT_TRANSPORT) && entry.text().equals("nio")) {
                throw new IOException("setting " + SOFT_TRANSPORT + " (" + entry.source() + ") is nio, which goes over the channels that "
                        + "panama-verbs replaces here: choose auto or epoll");
            }
        }
    }

    /** The loop for channels without a selector. */
    synchronized SocketLoop loop(Device device) {
        return loops.computeIfAbsent(device, this::newLoop);
    }

    /** Makes a loop for the channels of one selector. */
    SocketLoop newLoop(Device device) {
        SocketLoop loop = SocketLoop.open(device);
        open.add(loop);
        return loop;
    }

    /** The selector of a loop is closed: the loop closes with its last stream. */
    void retire(SocketLoop loop) {
        loop.retire(() -> open.remove(loop));
    }

    /** The JVM ends. Bytes in channels that are closed still go out, as the kernel sends those of sockets. */
    private void drain() {
        long begin = System.nanoTime();
        while (open.stream().anyMatch(loop -> loop.streams().isClosing()) && System.nanoTime() - begin < DRAIN_NANOS) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Logs, not too often. */
    Complaints complaints() {
        return complaints;
    }

    void countConnection(boolean overVerbs) {
        (overVerbs ? verbsConnections : otherConnections).increment();
    }

    void countBytes(boolean overVerbs, long bytes) {
        if (bytes > 0) {
            (overVerbs ? verbsBytes : otherBytes).add(bytes);
        }
    }

    void fellBack(InetSocketAddress peer, String reason) {
        fallBacks.increment();
        complaints.warn("no connection over verbs to {}, so the channel goes over TCP: {}", peer, reason);
    }

    private void report(Path file) {
        String line = "process " + ProcessHandle.current().pid() + ": " + counters().text() + System.lineSeparator();
        try {
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            System.err.println("panama-verbs-nio: the report cannot be written: " + e);
        }
    }

    NioCounters counters() {
        return new NioCounters(verbsConnections.sum(), verbsBytes.sum(), otherConnections.sum(), otherBytes.sum(), fallBacks.sum());
    }
}
