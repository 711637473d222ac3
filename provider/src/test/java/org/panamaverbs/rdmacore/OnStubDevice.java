package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;

/** The common part of the tests that inject faults into the {@link StubDevice}. */
abstract class OnStubDevice {
    static final Duration LIMIT = Duration.ofSeconds(60);
    static final InetSocketAddress NOBODY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);

    @BeforeAll
    static void needsStub() {
        StubDevice.assumePresent();
    }

    @BeforeEach
    void reset() {
        StubDevice.reset();
    }

    /** All objects that the test closed are gone, and no event was forgotten. */
    @AfterEach
    void leavesNoEvent() {
        assertEquals(0, StubDevice.live("event"), "events that nobody acknowledged");
        assertEquals(0, StubDevice.live("overdue"), "objects that were destroyed with such events");
    }

    static Verbs open() {
        return Verbs.open(configuration().build());
    }

    /** A queue of 8 completions; with time stamps, each completion is read field by field ({@code ibv_cq_ex}). */
    static CompletionQueue createQueue(Device device, boolean stamped) {
        CompletionQueueAttributes attributes = CompletionQueueAttributes.of(8);
        return device.createCompletionQueue(stamped ? attributes.withTimestamps() : attributes);
    }

    static Configuration.Builder configuration() {
        return Configuration.builder().set("panamaverbs.provider", "rdma-core");
    }

    static Connection connect(CoreProtectionDomain domain, QueuePairAttributes attributes) {
        Connector connector = ConnectionManager.of(domain.device()).connector(NOBODY, LIMIT);
        connector.createQueuePair(domain, attributes);
        return connector.connect(ConnectionParameters.defaults(), LIMIT);
    }

    /** A receive and a Write of 64 bytes, which the device does not report; their numbers are 1 and 2. */
    static void postWithheld(Connection connection, MemoryRegion region) {
        StubDevice.withhold();
        connection.queuePair().post(new ReceiveRequest().receive(1).local(region, 0, 64));
        connection.queuePair()
                .post(new SendRequest().write(2).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled());
    }

    /** Waits for what another thread does. */
    static void await(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT.toNanos()) {
                throw new AssertionError("not within " + LIMIT + ": " + what);
            }
            Thread.onSpinWait();
        }
    }
}
