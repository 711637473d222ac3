package org.panamaverbs.tools.files;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NewFileTest {
    @TempDir
    private Path folder;

    /** With a name or without, until it is published. */
    enum Form {
        UNNAMED {
            @Override
            NewFile make(Path target) {
                NewFile file = NewFile.unnamed(target);
                assumeTrue(file != null, "the file system has no files without a name");
                return file;
            }
        },
        NAMED {
            @Override
            NewFile make(Path target) throws IOException {
                return NewFile.named(target);
            }
        };

        abstract NewFile make(Path target) throws IOException;
    }

    private static void write(NewFile file, String text) throws IOException {
        file.channel().write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldHaveItsNameOnceItIsPublished(Form form) throws IOException {
        Path target = folder.resolve("n\u00e4me");
        try (NewFile file = form.make(target)) {
            write(file, "text");
            assertTrue(Files.notExists(target));
            file.publish(false);
        }
        assertAll(() -> assertEquals("text", Files.readString(target)), () -> assertEquals(List.of("n\u00e4me"), names()));
    }

    @Test
    void shouldHaveNoNameBefore() throws IOException {
        try (NewFile file = Form.UNNAMED.make(folder.resolve("name"))) {
            write(file, "text");
            assertEquals(List.of(), names());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeGoneIfItWasNotPublished(Form form) throws IOException {
        try (NewFile file = form.make(folder.resolve("name"))) {
            write(file, "text");
        }
        assertEquals(List.of(), names());
    }

    @ParameterizedTest
    @EnumSource
    void shouldReplaceNothingUnlessAsked(Form form) throws IOException {
        Path target = Files.writeString(folder.resolve("name"), "old");
        try (NewFile file = form.make(target)) {
            write(file, "new");
            assertThrows(FileAlreadyExistsException.class, () -> file.publish(false));
        }
        assertAll(() -> assertEquals("old", Files.readString(target)), () -> assertEquals(List.of("name"), names()));
    }

    @ParameterizedTest
    @EnumSource
    void shouldReplaceIfAsked(Form form) throws IOException {
        Path target = Files.writeString(folder.resolve("name"), "old");
        try (NewFile file = form.make(target)) {
            write(file, "new");
            file.publish(true);
        }
        assertAll(() -> assertEquals("new", Files.readString(target)), () -> assertEquals(List.of("name"), names()));
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotReplaceAFolder(Form form) throws IOException {
        Path target = Files.createDirectory(folder.resolve("name"));
        try (NewFile file = form.make(target)) {
            write(file, "new");
            assertThrows(FileSystemException.class, () -> file.publish(true));
        }
        assertAll(() -> assertTrue(Files.isDirectory(target)), () -> assertEquals(List.of("name"), names()));
    }

    /** A file that was never made is not one that could not be removed. */
    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void shouldNotTryToRemoveWhatItDidNotMake() throws IOException {
        Path target = Files.writeString(folder.resolve("no-folder"), "text").resolve("name");
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
        try {
            assertThrows(FileSystemException.class, () -> NewFile.named(target));
        } finally {
            System.setErr(before);
        }
        assertEquals("", errors.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldSayThatAFolderTakesNoFiles() {
        Path target = Path.of("/proc/name");
        FileSystemException failure = assertThrows(FileSystemException.class, () -> NewFile.named(target));
        assertAll(() -> assertEquals(target.toString(), failure.getFile()),
                () -> assertEquals("no file can be made in this folder", failure.getReason()));
    }

    @Test
    void shouldHaveANameWithoutSuchFiles() throws IOException {
        // The files of /proc are no files of a disk.
        Path elsewhere = Path.of("/proc/name");
        assertNull(NewFile.unnamed(elsewhere));
        assertThrows(FileSystemException.class, () -> NewFile.create(elsewhere));
    }
}
