package org.panamaverbs.tools.nfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.Program;

/** {@code ls}, {@code get} and {@code put} with {@code serve}, over soft-iwarp. */
class NfsFilesTest {
    private static final List<String> OVER = List.of("--provider", "soft-iwarp", "--timeout", "60");

    @TempDir
    private Path folder;
    private Path served;
    private Path local;
    private final byte[] bytes = new byte[3_000_001];

    @BeforeEach
    void makeFiles() throws IOException {
        new Random(1).nextBytes(bytes);
        served = Files.createDirectory(folder.resolve("served"));
        local = Files.write(folder.resolve("local"), bytes);
    }

    private Listening serve() throws IOException {
        return new Listening("nfs", "serve", served.toString(), "--listen", "127.0.0.1:0", "--writable", "--provider", "soft-iwarp");
    }

    private static Program.Outcome nfs(String... arguments) {
        return Program.run(Stream.of(Stream.of("nfs"), Stream.of(arguments), OVER.stream()).flatMap(each -> each).toArray(String[]::new));
    }

    @Test
    void shouldCopyBothWaysByDirectPlacement() throws IOException {
        try (Listening server = serve()) {
            Program.Outcome put = nfs("put", local.toString(), server.url("new"), "--json");
            assertEquals(0, put.status(), put.errors());
            assertArrayEquals(bytes, Files.readAllBytes(served.resolve("new")));
            assertTrue(put.out().contains("\"placedDirectly\":" + bytes.length), put.out());

            Path back = folder.resolve("back");
            Program.Outcome get = nfs("get", server.url("new"), back.toString(), "--json");
            assertEquals(0, get.status(), get.errors());
            assertArrayEquals(bytes, Files.readAllBytes(back));
            assertTrue(get.out().contains("\"placedDirectly\":" + bytes.length), get.out());

            Program.Outcome list = nfs("ls", server.url(""));
            assertTrue(list.out().contains(bytes.length + " ") && list.out().stripTrailing().endsWith("new"), list.out());
        }
    }

    @Test
    void shouldReplaceOnlyIfAskedTo() throws IOException {
        Files.writeString(served.resolve("old"), "old");
        try (Listening server = serve()) {
            Program.Outcome refused = nfs("put", local.toString(), server.url("old"), "--json");
            assertEquals(1, refused.status());
            assertTrue(refused.errors().contains("old is there already at the server: take another name, or --replace"), refused.errors());
            assertTrue(refused.out().contains("\"schema\":\"pverbs.nfs-put\""), refused.out());
            assertEquals("old", Files.readString(served.resolve("old")));

            Program.Outcome replaced = nfs("put", local.toString(), server.url("old"), "--replace");
            assertEquals(0, replaced.status(), replaced.errors());
            assertArrayEquals(bytes, Files.readAllBytes(served.resolve("old")));
            assertEquals(List.of(served.resolve("old")), list(served));

            Program.Outcome kept = nfs("get", server.url("old"), local.toString());
            assertEquals("pverbs: " + local + ": is there already: take another name, or --replace", kept.errors().strip());
            assertEquals(0, nfs("get", server.url("old"), local.toString(), "--replace").status());
        }
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> paths = Files.list(directory)) {
            return paths.toList();
        }
    }

    @Test
    void shouldLeaveNothingIfThereIsNoSuchFile() throws IOException {
        try (Listening server = serve()) {
            Program.Outcome outcome = nfs("get", server.url("none"), folder.resolve("x").toString());
            assertTrue(outcome.errors().contains("/none: there is no such file or directory (NFS4ERR_NOENT of LOOKUP)"), outcome.errors());
            assertFalse(Files.exists(folder.resolve("x")));
        }
    }

    /** A server can list without end. */
    @Test
    @Tag(Proofs.TAG)
    void shouldRefuseAListThatFillsTheHeap() throws Exception {
        for (int i = 0; i < 20_000; i++) {
            Files.createFile(served.resolve("name".repeat(50) + i));
        }
        try (Listening server = serve()) {
            Process ls = Program.startBehind(List.of("env", "JAVA_TOOL_OPTIONS=-Xmx20m"),
                    Stream.concat(Stream.of("nfs", "ls", server.url("")), OVER.stream()).toArray(String[]::new));
            String said = new String(ls.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(1, ls.waitFor(), said);
            assertTrue(said.contains("pverbs: the list is too long: "), said);
        }
    }
}
