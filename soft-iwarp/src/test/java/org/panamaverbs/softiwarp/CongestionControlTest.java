package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.NoProviderException;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;

/** The setting {@code panamaverbs.softiwarp.congestion-control} on its way from the configuration to the transport. */
class CongestionControlTest {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @Test
    void shouldReachTheSockets() {
        assumeTrue(epollWorks(), "no epoll here");
        try (Verbs verbs = Verbs.open(configuration("epoll", "nonsense"))) {
            ConnectionManager manager = ConnectionManager.of(verbs.device());
            SystemException failure = assertThrows(SystemException.class, () -> manager.listen(ADDRESS, 1));
            assertTrue(failure.getMessage().contains("setting panamaverbs.softiwarp.congestion-control is \"nonsense\""),
                    failure::getMessage);
        }
    }

    @Test
    void shouldRefuseNioWhichCannotSetIt() {
        Configuration configuration = configuration("nio", "cubic");
        String message = assertThrows(NoProviderException.class, () -> Verbs.open(configuration)).getMessage();
        SoftIwarpProvider provider = new SoftIwarpProvider();
        assertAll(
                () -> assertTrue(message.contains("transport nio (by configuration) cannot set panamaverbs.softiwarp.congestion-control"
                        + " to \"cubic\": Java has no such socket option"), message),
                () -> assertEquals(false, provider.availability(configuration).available()),
                () -> assertTrue(message.contains(provider.availability(configuration).detail()), message));
    }

    private static boolean epollWorks() {
        try {
            Verbs.open(configuration("epoll", "")).close();
            return true;
        } catch (NoProviderException e) {
            return false;
        }
    }

    private static Configuration configuration(String transport, String congestionControl) {
        Configuration.Builder builder = Configuration.builder();
        SoftIwarp.settings(transport, "congestion-control", congestionControl).forEach(builder::set);
        return builder.build();
    }
}
