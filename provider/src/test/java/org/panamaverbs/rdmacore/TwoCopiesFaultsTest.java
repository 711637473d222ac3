package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Capability;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.posix.Native;
import org.slf4j.Logger;

/** A device that takes the place of another, and a second copy of this library. */
class TwoCopiesFaultsTest extends OnStubDevice {
    /** The vendor's number that siw reports. */
    private static final int SIW = 0x626d74;

    @Test
    void shouldAskADeviceAgainThatHasTheAddressOfAnother() {
        StubDevice.replace("old0", 0, 0);
        try (Verbs verbs = open()) {
            assertFalse(verbs.device("old0").supports(Capability.SHARED_RECEIVE_QUEUE));
        }
        StubDevice.replace("new0", 0, 64);
        try (Verbs verbs = open(); Verbs other = open()) {
            assertTrue(verbs.device("new0").supports(Capability.SHARED_RECEIVE_QUEUE));
            long made = StubDevice.called("ibv_create_cq");
            assertTrue(other.device("new0").supports(Capability.SHARED_RECEIVE_QUEUE));
            assertEquals(made, StubDevice.called("ibv_create_cq"));
        }
    }

    @Test
    void shouldProbeOnceForAllSessionsOfADevice() {
        try (Verbs first = open()) {
            long tried = StubDevice.called("ibv_create_cq");
            open().close();
            // The probe of inline memory, and no more.
            assertEquals(tried + 1, StubDevice.called("ibv_create_cq"));
            assertEquals(1, first.devices().size());
        }
    }

    @Test
    void shouldKeepLibsiwsKeyOfEachDeviceAtAnAddress() {
        StubDevice.replace("siw0", SIW, 64);
        try (Verbs first = open()) {
            assertEquals(1, StubDevice.live("cq"));
            try (Verbs second = open()) {
                assertEquals(1, StubDevice.live("cq"), "of both");
                assertEquals("siw0", second.device().name());
            }
            assertEquals(1, StubDevice.live("cq"));
            assertEquals("siw0", first.device().name());
        }
        assertEquals(0, StubDevice.live("cq"));
        StubDevice.replace("siw0", SIW, 64);
        try (Verbs again = open()) {
            assertEquals(1, StubDevice.live("cq"), "a new device needs its own");
            assertEquals("siw0", again.device().name());
        }
    }

    /** The class path of this copy. */
    private static URL[] classPath() {
        return Stream.of(RdmaCoreProvider.class, Configuration.class, Rdma.class, Native.class, Logger.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation()).toArray(URL[]::new);
    }

    /** The answer of another copy of the provider about its availability. */
    private static String saidBy(ClassLoader loader) throws ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        ClassLoader ours = thread.getContextClassLoader();
        // By which the copy finds its providers.
        thread.setContextClassLoader(loader);
        try {
            Class<?> configuration = loader.loadClass("org.panamaverbs.Configuration");
            Class<?> provider = loader.loadClass(RdmaCoreProvider.class.getName());
            assertFalse(provider == RdmaCoreProvider.class, "the test needs two copies");
            Object availability = provider.getMethod("availability", configuration).invoke(provider.getConstructor().newInstance(),
                    configuration.getMethod("load").invoke(null));
            return availability.getClass().getMethod("available").invoke(availability) + ": "
                    + availability.getClass().getMethod("detail").invoke(availability);
        } finally {
            thread.setContextClassLoader(ours);
        }
    }

    /** Each thread that reads events of a device takes those of all: a copy that does not know their objects would drop them. */
    @Test
    void shouldLeaveTheDevicesToTheOtherCopyOfThisLibraryThatUsesThem() throws Exception {
        // The other copy chooses automatically.
        StubDevice.setIdentifier(0, GlobalIdentifier.of(InetAddress.getLoopbackAddress()));
        try (URLClassLoader loader = new URLClassLoader("second copy", classPath(), ClassLoader.getPlatformClassLoader())) {
            try (Verbs verbs = open()) {
                String refusal = saidBy(loader);
                assertTrue(refusal.startsWith("false") && refusal.contains("another class loader"), refusal);
                assertTrue(new RdmaCoreProvider().availability(configuration().build()).available(), "this copy may open more sessions");
                open().close();
                assertTrue(saidBy(loader).startsWith("false"), "one of this copy's sessions is open");
                assertEquals(1, verbs.devices().size());
            }
            String now = saidBy(loader);
            assertTrue(now.startsWith("true"), now);
        }
    }
}
