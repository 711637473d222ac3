package org.panamaverbs.nfs.server.export;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.posix.Errno;

/** The operations on a directory of this machine. Links and moves under an attack: NfsServerTest. */
class ExportTest {
    private static final int MODE = 0640;

    @TempDir
    Path folder;

    private Export export;
    private Node root;

    @BeforeEach
    void open() throws IOException {
        export = new Export(folder, 100);
        root = export.root();
    }

    @AfterEach
    void close() {
        export.close();
    }

    private Node create(Node directory, String name, String text) throws IOException {
        try (HeldFile created = export.create(directory, Name.of(name), MODE)) {
            created.channel(true).write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            ByteBuffer read = ByteBuffer.allocate(text.length());
            created.channel(false).read(read, 0);
            assertArrayEquals(text.getBytes(StandardCharsets.UTF_8), read.array());
            return created.node();
        }
    }

    private List<String> names(Node directory) throws IOException {
        return export.list(directory).after(0).stream().map(entry -> entry.name().toString()).sorted().toList();
    }

    private static void assertErrno(int expected, Executable call) {
        assertEquals(expected, FileException.errnoOf(assertThrows(IOException.class, call)));
    }

    @Test
    void shouldMakeAFileWithItsRights() throws IOException {
        Node file = create(root, "file", "text");
        assertEquals("text", Files.readString(folder.resolve("file")));
        assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("file"))));
        FileStatus status = export.status(file);
        assertEquals(Kind.REGULAR, status.kind());
        assertEquals(4, status.size());
        assertEquals(MODE, status.mode());
        assertErrno(Errno.EEXIST, () -> export.create(root, Name.of("file"), MODE));
    }

    @Test
    void shouldFindFilesByNameAndHandle() throws IOException {
        Node file = create(root, "file", "");
        assertSame(file, export.lookup(root, Name.of("file")));
        assertSame(file, export.find(file.handle()));
        assertSame(root, export.find(root.handle()));
        assertSame(root, export.parent(file));
        assertNull(export.parent(root));
        assertTrue(root.isRoot());
        assertErrno(Errno.ENOENT, () -> export.lookup(root, Name.of("none")));
        assertErrno(Errno.ENOTDIR, () -> export.lookup(file, Name.of("file")));
    }

    @Test
    void shouldOpenRegularFilesAlone() throws IOException {
        Node file = create(root, "file", "text");
        try (FileChannel channel = export.open(file, true)) {
            channel.write(ByteBuffer.wrap(new byte[] { 'T' }));
        }
        try (FileChannel channel = export.open(file, false)) {
            assertEquals(4, channel.size());
        }
        assertEquals("Text", Files.readString(folder.resolve("file")));
        assertErrno(Errno.EISDIR, () -> export.open(root, false));
    }

    @Test
    void shouldMakeAndRemoveDirectoriesThatAreEmpty() throws IOException {
        Node directory = export.makeDirectory(root, Name.of("directory"), 0755);
        assertEquals("rwxr-xr-x", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("directory"))));
        create(directory, "file", "");
        assertErrno(Errno.EEXIST, () -> export.makeDirectory(root, Name.of("directory"), 0755));
        assertErrno(Errno.ENOTEMPTY, () -> export.remove(root, Name.of("directory")));
        export.remove(directory, Name.of("file"));
        export.remove(root, Name.of("directory"));
        assertFalse(Files.exists(folder.resolve("directory")));
        assertErrno(Errno.ESTALE, () -> export.status(directory));
        assertErrno(Errno.ENOENT, () -> export.remove(root, Name.of("directory")));
    }

    @Test
    void shouldNotMakeDirectoriesWithoutEnd() throws IOException {
        Files.createDirectories(folder.resolve("d/".repeat(Walk.DEEPEST - 1)));
        Node deepest = root;
        for (int i = 1; i < Walk.DEEPEST; i++) {
            deepest = export.lookup(deepest, Name.of("d"));
        }
        Node last = deepest;
        assertErrno(Errno.ENAMETOOLONG, () -> export.makeDirectory(last, Name.of("d"), 0700));
    }

    @Test
    void shouldKeepTheHandleOfAFileThatIsRenamed() throws IOException {
        Node directory = export.makeDirectory(root, Name.of("directory"), 0700);
        Node file = create(root, "old", "moved");
        Node replaced = create(directory, "new", "replaced");
        export.rename(root, Name.of("old"), directory, Name.of("new"));
        assertEquals("moved", Files.readString(folder.resolve("directory/new")));
        assertSame(directory, export.parent(file));
        assertSame(file, export.find(file.handle()));
        assertNull(export.find(replaced.handle()));
        assertErrno(Errno.ENOENT, () -> export.rename(root, Name.of("old"), root, Name.of("other")));
        assertErrno(Errno.ENOTDIR, () -> export.rename(directory, Name.of("new"), file, Name.of("other")));
    }

    @Test
    void shouldListAllNamesAndNoDots() throws IOException {
        assertEquals(List.of(), names(root));
        create(root, "b", "");
        create(root, "a", "");
        export.makeDirectory(root, Name.of("c"), 0700);
        assertEquals(List.of("a", "b", "c"), names(root));
        List<Listing.Entry> all = export.list(root).after(0);
        assertEquals(all.subList(1, 3), export.list(root).after(all.getFirst().cookie()));
    }

    /** A directory that rested for more than a second is read once. */
    @Test
    void shouldReadADirectoryAgainOnceItChanged() throws IOException {
        create(root, "a", "");
        Listing first = export.list(root);
        create(root, "b", "");
        assertEquals(List.of("a", "b"), names(root));
        assertEquals(1, first.after(0).size());
    }

    @Test
    void shouldLookAtManyNamesOfOneDirectory() throws IOException {
        create(root, "file", "text");
        try (Export.Looks looks = export.look(root)) {
            FileStatus status = looks.status(Name.of("file"));
            assertEquals(4, status.size());
            assertEquals(export.lookup(root, Name.of("file")).handle(), status.handle());
            assertNull(looks.status(Name.of("none")));
        }
    }

    @Test
    void shouldReadALinkAndFollowNone() throws IOException {
        Files.createSymbolicLink(folder.resolve("link"), Path.of("nowhere"));
        Node link = export.lookup(root, Name.of("link"));
        assertEquals(Kind.LINK, link.kind());
        assertEquals("nowhere", new String(export.readLink(link), StandardCharsets.UTF_8));
        assertErrno(Errno.EINVAL, () -> export.readLink(root));
        assertErrno(Errno.ELOOP, () -> export.change(link, 0777, null, null));
        assertErrno(Errno.ELOOP, () -> export.change(link, null, null, null));
        assertThrows(IOException.class, () -> export.open(link, false));
        assertEquals(Export.READ, export.permits(link, Export.READ | Export.WRITE | Export.EXECUTE));
    }

    @Test
    void shouldSayWhatTheUserOfTheServerMayDo() throws IOException {
        Node file = create(root, "file", "");
        assertEquals(Export.READ | Export.WRITE, export.permits(file, Export.READ | Export.WRITE | Export.EXECUTE));
        assertEquals(Export.WRITE, export.permits(file, Export.WRITE));
        assertEquals(Export.EXECUTE, export.permits(root, Export.EXECUTE));
    }

    @Test
    void shouldChangeRightsAndTimes() throws IOException {
        Node file = create(root, "file", "");
        export.change(file, 0600 | 04000, null, null);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("file"))));
        assertEquals(0600, export.status(file).mode(), "no file runs with the rights of its owner");
        FileStatus.Time accessed = export.status(file).accessed();
        export.change(file, null, null, new FileStatus.Time(1_000_000, 7_000));
        assertEquals(FileTime.from(Instant.ofEpochSecond(1_000_000, 7_000)), Files.getLastModifiedTime(folder.resolve("file")));
        assertEquals(accessed, export.status(file).accessed());
    }

    @Test
    void shouldTellTheRoomOfTheFileSystem() throws IOException {
        Space space = export.space();
        assertTrue(space.total() >= space.free() && space.free() >= space.available() && space.available() > 0, space::toString);
    }

    /** The creator holds the file from the start: a client that removes it at once takes nothing away. */
    @Test
    void shouldFindAHeldFileUntilItIsClosed() throws IOException {
        HeldFile first = export.create(root, Name.of("file"), MODE);
        Node file = first.node();
        HeldFile second = export.hold(file);
        export.remove(root, Name.of("file"));
        first.close();
        first.close();
        assertSame(file, export.find(file.handle()));
        assertEquals(0, export.status(file).links());
        assertErrno(Errno.ENOENT, () -> export.lookup(root, Name.of("file")));
        second.close();
        assertErrno(Errno.ESTALE, () -> export.status(file));
        assertErrno(Errno.ESTALE, () -> export.hold(file));
    }

    /** Many files drive out those that nobody used, and no file that is held. */
    @Test
    void shouldKeepTheNodeOfAHeldFile() throws IOException {
        Node idle = create(root, "idle", "");
        try (HeldFile held = export.create(root, Name.of("held"), MODE)) {
            for (int i = 0; i < 200; i++) {
                create(root, "file-" + i, "");
            }
            assertTrue(export.nodes() <= 100);
            try (HeldFile late = export.hold(idle)) {
                assertSame(late.node(), export.find(idle.handle()), "an open that was under way");
            }
            assertSame(held.node(), export.find(held.node().handle()));
            assertSame(held.node(), export.lookup(root, Name.of("held")));
        }
    }

    @Test
    void shouldNotKnowAFileThatTookThePlaceOfAnother() throws IOException {
        Node file = create(root, "file", "");
        Files.delete(folder.resolve("file"));
        assertErrno(Errno.ESTALE, () -> export.status(file));
        Files.createDirectory(folder.resolve("file"));
        assertErrno(Errno.ESTALE, () -> export.status(file));
    }
}
