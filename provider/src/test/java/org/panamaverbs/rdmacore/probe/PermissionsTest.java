package org.panamaverbs.rdmacore.probe;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PermissionsTest {
    @TempDir
    private Path folder;

    @Test
    void shouldSayNothingWhereThereAreNoDevices() {
        assertNull(Permissions.missing(folder));
        assertNull(Permissions.missing(folder.resolve("nonesuch")));
    }

    @Test
    void shouldSayNothingWhereAllMayBeOpened() throws IOException {
        Files.createFile(folder.resolve("uverbs0"));
        assertNull(Permissions.missing(folder));
    }

    @Test
    void shouldNameTheFilesThatMayNotBeOpenedAndTheCure() throws IOException {
        Path closed = Files.createFile(folder.resolve("uverbs1"));
        Files.createFile(folder.resolve("uverbs0"));
        Files.createFile(folder.resolve("issm0"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        Assumptions.assumeFalse(Files.isReadable(closed), "root may read everything");
        String missing = Permissions.missing(folder);
        assertTrue(missing.contains(closed.toString()) && missing.contains("chmod"), missing);
        assertFalse(missing.contains("uverbs0") || missing.contains("issm0"), missing);
    }
}
