package org.panamaverbs.softiwarp.overhead;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.testing.ChildJvm;
import org.panamaverbs.testing.Transports;

/** A listener of a process that has no file descriptor left, and whose classes are in folders. */
class NoDescriptorTest {
    private static final int DESCRIPTORS = 150;
    private static final String REFUSAL = "no file descriptor left";

    static final class Program {
        private Program() {
        }

        public static void main(String[] arguments) throws IOException {
            InetAddress loopback = InetAddress.getLoopbackAddress();
            ByteArrayOutputStream log = new ByteArrayOutputStream();
            System.setErr(new PrintStream(log, true));
            List<FileInputStream> open = new ArrayList<>();
            try (Verbs verbs = Verbs.open(Configuration.load());
                    Listener listener = ConnectionManager.of(verbs).listen(new InetSocketAddress(loopback, 0), 8);
                    Socket peer = new Socket()) {
                // It has its descriptor from now on.
                peer.bind(new InetSocketAddress(loopback, 0));
                exhaust(open);
                peer.connect(listener.address());
                long begin = System.nanoTime();
                while (!log.toString().contains("cannot accept peers") && System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(120)) {
                    LockSupport.parkNanos(1_000_000);
                }
                for (FileInputStream each : open) {
                    each.close();
                }
            }
            System.out.println(log);
            System.exit(0);
        }

        private static void exhaust(List<FileInputStream> open) {
            try {
                while (true) {
                    open.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException e) {
                // There is none left.
            }
        }
    }

    @ParameterizedTest
    @Transports({ "epoll", "auto" })
    void shouldSayWhatIsMissing(String transport) throws Exception {
        String log = ChildJvm.runWithDescriptors(DESCRIPTORS, Program.class, transport);
        assertTrue(log.contains(REFUSAL), log);
        assertFalse(log.contains("NoClassDefFoundError"), log);
    }
}
