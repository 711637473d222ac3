package org.panamaverbs.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.testing.headers.HeaderAssertions;

/**
 * The layouts and constants of libc, held against the C headers of this machine by a compiler: that of x86_64, for which the bindings were
 * generated, and that of aarch64. What differs between the two is in {@link Processor}.
 */
class HeadersTest {
    private static String headers() {
        try {
            return "#include <stddef.h>\n" + Files.readString(
                    Path.of(System.getProperty("basedir", "."), "..", "bindings", "src", "main", "jextract", "libc.h"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assumeX86() {
        assumeTrue("amd64".equals(System.getProperty("os.arch")), "cc is asked for x86_64");
    }

    @Test
    void shouldHaveBindingsOfTheHeadersOfX86() {
        assumeX86();
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.HERE, headers(), HeaderAssertions.assertions(Libc.class)));
    }

    @Test
    void shouldKnowAllThatDiffersOnAarch64() {
        assumeX86();
        assertEquals(
                Set.of("O_DIRECTORY", "O_NOFOLLOW", "O_TMPFILE", "SYS_readv", "SYS_writev", "offsetof(struct epoll_event, data)",
                        "sizeof(struct epoll_event)"),
                HeaderAssertions.differences(HeaderAssertions.AARCH64, headers(), HeaderAssertions.assertions(Libc.class)));
    }

    @Test
    void shouldHaveTheNumbersOfX86() {
        assumeX86();
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.HERE, headers(), assertions(Processor.X86_64)));
    }

    @Test
    void shouldHaveTheNumbersOfAarch64() {
        assumeX86();
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.AARCH64, headers(), assertions(Processor.AARCH64)));
    }

    private static List<String> assertions(Processor processor) {
        List<String> assertions = new ArrayList<>();
        HeaderAssertions.add(assertions, "sizeof(struct epoll_event)", processor.epollEventSize());
        HeaderAssertions.add(assertions, "offsetof(struct epoll_event, data)", processor.epollEventData());
        HeaderAssertions.add(assertions, "O_DIRECTORY", processor.directory());
        HeaderAssertions.add(assertions, "O_NOFOLLOW", processor.noFollow());
        HeaderAssertions.add(assertions, "O_TMPFILE", FileCalls.unnamed(processor));
        HeaderAssertions.add(assertions, "SYS_recvfrom", processor.recvfrom());
        HeaderAssertions.add(assertions, "SYS_sendto", processor.sendto());
        HeaderAssertions.add(assertions, "SYS_readv", processor.readv());
        HeaderAssertions.add(assertions, "SYS_writev", processor.writev());
        HeaderAssertions.add(assertions, "SYS_recvmsg", processor.recvmsg());
        HeaderAssertions.add(assertions, "SYS_recvmmsg", processor.recvmmsg());
        HeaderAssertions.add(assertions, "SYS_sendmmsg", processor.sendmmsg());
        return assertions;
    }
}
