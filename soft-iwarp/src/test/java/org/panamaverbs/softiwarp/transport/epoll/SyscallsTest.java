package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.transport.Errno;

class SyscallsTest {
    @Test
    void shouldSayWhatFailedInTheWordsOfTheSystem() {
        assumeTrue(Syscalls.unavailable() == null, Syscalls::unavailable);
        VerbsException failure = Syscalls.failure("listen on /10.0.0.1:4791", "bind", Errno.EADDRINUSE);
        String start = "listen on /10.0.0.1:4791: bind: EADDRINUSE (98), Address already in use; ";
        assertTrue(failure.getMessage().startsWith(start), failure.getMessage());
    }
}
