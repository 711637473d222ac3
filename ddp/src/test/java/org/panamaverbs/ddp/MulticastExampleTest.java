package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.testing.Program;
import org.panamaverbs.testing.Transports;

/** The example of multicast repeats the chunk that it left out, and each receiver has the data. */
class MulticastExampleTest {
    private static final Pattern RESULT = Pattern.compile("sender: 512 chunks in ([2-9]|\\d\\d+) rounds\\R3 receivers have the data\\R\\z");

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldPlaceTheDataAtEachReceiver(String transport, @TempDir Path folder) throws Exception {
        Path output = folder.resolve("output");
        Program multicast = Program.compile(Path.of("..", "examples", "Multicast.java"), folder);
        String said = Program.finished(multicast.start(transport, output), output);
        assertTrue(RESULT.matcher(said).find(), said);
    }
}
