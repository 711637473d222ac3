package org.panamaverbs.rdmacore.probe;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.regex.Pattern;
import org.panamaverbs.device.HardwareCounters;

/**
 * The counters of a device's ports from sysfs. Each file is one counter, a decimal number. Anything else in the folders is left out: a driver
 * out of the kernel's tree, or another file system at that place, may have put it there.
 */
public final class PortCounters implements HardwareCounters {
    private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}");
    private static final Pattern COUNTER = Pattern.compile("[A-Za-z0-9_]{1,64}");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,20}");
    /** More than any driver has. */
    static final int MOST = 1024;
    /** How long the kernel keeps values, in ms: a setting, in the folder of the counters. */
    private static final String LIFESPAN = "lifespan";
    private static final int LONGEST = 64;

    private final Path devices;
    private final String name;
    private final IntConsumer checkPort;

    /**
     * @param devices   {@code /sys/class/infiniband}
     * @param checkPort throws if there is no such port
     */
    public PortCounters(Path devices, String name, IntConsumer checkPort) {
        this.devices = devices;
        this.name = name;
        this.checkPort = checkPort;
    }

    @Override
    public SortedMap<String, Long> read(int port) {
        checkPort.accept(port);
        SortedMap<String, Long> counters = new TreeMap<>();
        if (DEVICE.matcher(name).matches()) {
            Path device = devices.resolve(name);
            // Of iWARP devices older kernels count for the device alone.
            addAll(device, "hw_counters", counters);
            Path ofPort = device.resolve("ports").resolve(Integer.toString(port));
            addAll(ofPort, "hw_counters", counters);
            addAll(ofPort, "counters", counters);
        }
        return Collections.unmodifiableSortedMap(counters);
    }

    private static void addAll(Path parent, String folder, SortedMap<String, Long> counters) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(parent.resolve(folder))) {
            for (Path file : files) {
                if (counters.size() == MOST) {
                    return;
                }
                add(file, folder, counters);
            }
        } catch (IOException | DirectoryIteratorException e) {
            // There is no such folder, or it has gone with its device.
            return;
        }
    }

    private static void add(Path file, String folder, SortedMap<String, Long> counters) {
        String counter = file.getFileName().toString();
        if (!COUNTER.matcher(counter).matches() || counter.equals(LIFESPAN) || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        String text;
        try (InputStream content = Files.newInputStream(file)) {
            text = new String(content.readNBytes(LONGEST), StandardCharsets.US_ASCII).strip();
        } catch (IOException e) {
            // Drivers name counters that the card does not have, and answer with an error.
            return;
        }
        if (NUMBER.matcher(text).matches()) {
            try {
                counters.put(folder + "/" + counter, Long.parseUnsignedLong(text));
            } catch (NumberFormatException e) {
                // It has more than 64 bits.
                return;
            }
        }
    }
}
