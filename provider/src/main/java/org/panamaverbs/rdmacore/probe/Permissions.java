package org.panamaverbs.rdmacore.probe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Whether this user may open the files of the devices: libraries leave out those that they cannot open, without a word. */
final class Permissions {
    static final Path DEVICES = Path.of("/dev/infiniband");

    private Permissions() {
    }

    /** Which files may not be opened and what to do about it, or {@code null} if all may be. */
    static String missing(Path folder) {
        List<String> refused = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "{uverbs*,rdma_cm}")) {
                files.forEach(file -> {
                    if (!Files.isReadable(file) || !Files.isWritable(file)) {
                        refused.add(file.toString());
                    }
                });
            } catch (IOException | UncheckedIOException e) {
                return folder + " cannot be read: " + e.getMessage();
            }
        }
        if (refused.isEmpty()) {
            return null;
        }
        refused.sort(null);
        return "user " + System.getProperty("user.name") + " may not read and write " + String.join(", ", refused)
                + ": give it the right (rdma-core's udev rules give it to all: chmod 666), or run as root";
    }
}
