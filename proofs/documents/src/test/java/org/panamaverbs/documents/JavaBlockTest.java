package org.panamaverbs.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;
import org.panamaverbs.testing.Program;

/** Blocks are found with their comments, and a block that is wrong fails. */
class JavaBlockTest {
    @TempDir
    Path folder;

    private List<JavaBlock> blocks(String page) throws IOException {
        Files.writeString(folder.resolve("page.md"), page);
        return JavaBlock.of(folder, "page.md");
    }

    private static String block(String code) {
        return "```java\n" + code + "\n```\n";
    }

    private void run(String page) throws Exception {
        JavaBlock block = blocks(page).getFirst();
        Path source = folder.resolve(block.className() + ".java");
        Files.writeString(source, block.source());
        Program.compile(source, folder);
        try (URLClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() }, getClass().getClassLoader())) {
            ((Surroundings) loader.loadClass(block.className()).getConstructor().newInstance()).runOver("nio");
        }
    }

    @Test
    void shouldFindEachBlockAndTheCommentsDirectlyAboveIt() throws IOException {
        List<JavaBlock> blocks = blocks("# Page\n<!-- before: lost(); -->\nText.\n\n<!-- before: a();\nb(); -->\n<!-- after: c(); -->\n"
                + block("d();") + "```xml\n<x/>\n```\n" + block("e();\nf();"));
        assertEquals(List.of(new JavaBlock("page.md", 9, List.of("d();"), Map.of("before", "a(); b();", "after", "c();")),
                new JavaBlock("page.md", 15, List.of("e();", "f();"), Map.of())), blocks);
    }

    @Test
    void shouldTellAProgramByItsMainMethod() throws IOException {
        JavaBlock program = blocks(block("class Other {\n}\n\npublic class Sample {\n    static void main(String[] a) {\n    }\n}"))
                .getFirst();
        assertTrue(program.isProgram());
        assertEquals("Sample", program.className());
    }

    @ParameterizedTest
    @ValueSource(strings = { "<!-- arguments: a -->", "<!-- compiled only: -->" })
    void shouldRefuseACommentThatFitsNoFragment(String comment) {
        String said = assertThrows(IllegalArgumentException.class, () -> blocks(comment + "\n" + block("a();"))).getMessage();
        assertTrue(said.startsWith("page.md:3: "), said);
    }

    @Test
    void shouldRunAFragmentAmongItsNames() throws Exception {
        run("<!-- after: assertEquals(\"hi\", peer.memory().getString(0)); -->\n" + block("""
                memory.setString(0, "hi");
                queuePair.post(request.write(1).local(region, 0, 3).remote(remote, 0));
                queuePair.post(new ReceiveRequest().receive(2).local(region, 0, 100));
                queuePair.post(request.send(3).signaled());
                while (queue.take(TIMEOUT).orThrow().id() != 2) {
                }
                queuePair.post(request.read(4).local(region, 64, 3).remote(remote, 0).signaled());
                while (queue.take(TIMEOUT).orThrow().id() != 4) {
                }
                """));
    }

    @Test
    void shouldRunAFragmentThatAccepts() throws Exception {
        run("<!-- before: peer.connects(); -->\n" + block("""
                try (ConnectionRequest incoming = listener.awaitRequest(TIMEOUT)) {
                    QueuePair queuePair = incoming.createQueuePair(domain, QueuePairAttributes.of(queue));
                    queuePair.post(new ReceiveRequest().receive(1).local(region, 0, 100));
                    try (Connection connection = incoming.accept(ConnectionParameters.defaults(), TIMEOUT)) {
                        queue.take(TIMEOUT).orThrow();
                        assertEquals("hello", memory.getString(0));
                    }
                }
                """));
    }

    @Test
    void shouldNameThePageAndTheLineOfACodeThatDoesNotCompile() {
        AssertionFailedError failure = assertThrows(AssertionFailedError.class,
                () -> run("Text.\n\n" + block("int i = 0;\nint j = \"\";")));
        assertTrue(failure.getMessage().contains("Fragment_page_md_4.java:5: error: incompatible types"), failure.getMessage());
    }

    @Test
    void shouldFailIfARequestOfTheFragmentFails() {
        assertThrows(AssertionFailedError.class,
                () -> run(block("queuePair.post(request.write(1).local(region, 0, 8).remote(remote.address(), remote.key() + 1));")));
    }
}
