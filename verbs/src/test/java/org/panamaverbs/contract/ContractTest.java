package org.panamaverbs.contract;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.function.Executable;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Device;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.cm.Listener;

/**
 * The common part of all themes: each test gets a client and a server of the pair, opened for it and closed after it. The build that runs
 * the suite guards it against hanging: {@code junit.jupiter.execution.timeout.default}.
 */
public abstract class ContractTest {
    /** How much slower than usual the machine is, an emulated one for instance: by the system property {@code contract.slowness}. */
    static final int SLOWNESS = Integer.getInteger("contract.slowness", 1);
    /** How long a thing may take that must happen. */
    static final Duration LIMIT = Duration.ofSeconds(60).multipliedBy(SLOWNESS);
    /** How long to look out for a thing that must not happen. */
    static final Duration MOMENT = Duration.ofMillis(100);

    /** An address as the JDK prints it: {@code host/127.0.0.1:7} or {@code /127.0.0.1:7}. */
    private static final String JDK_ADDRESS = "/(\\d+\\.\\d+\\.\\d+\\.\\d+|\\[[0-9a-f:]+\\]|<unresolved>):\\d";

    /** The end that connects. */
    Side client;
    /** The end that listens. */
    Side server;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private Listener listener;

    /** The pair to test. */
    protected abstract VerbsPair pair();

    /** The number of rounds of a long test; fewer if the machine is slow. */
    static int rounds(int usual) {
        return usual / SLOWNESS;
    }

    @BeforeEach
    final void open(TestInfo test) {
        VerbsPair pair = pair();
        pair.unavailable().ifPresent(reason -> Assumptions.abort(pair.name() + ": " + reason));
        String name = test.getTestMethod().map(method -> method.getDeclaringClass().getSimpleName() + "." + method.getName()).orElseThrow();
        pair.excuse(name + " " + test.getDisplayName()).ifPresent(reason -> Assumptions.abort(pair.name() + ", " + name + ": " + reason));
        client = openClient();
        server = openServer();
    }

    @AfterEach
    final void close() throws Exception {
        Exception failure = null;
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Opens one more client; it is closed after the test. */
    final Side openClient() {
        return closeLater(new Side("client", pair().openClient()));
    }

    /** Opens one more server; it is closed after the test. */
    final Side openServer() {
        return closeLater(new Side("server", pair().openServer()));
    }

    /** Closes a thing after the test, in reverse order. */
    final <T extends AutoCloseable> T closeLater(T thing) {
        opened.push(thing);
        return thing;
    }

    /** The server's listener, made when first asked for. */
    final Listener listener() {
        if (listener == null) {
            listener = server.connections().listen(pair().listenAddress(), 64);
        }
        return listener;
    }

    /** Prepares to connect the client to the server. */
    final Dialer dialer() {
        return dialer(client);
    }

    /** Prepares to connect some client to the server. */
    final Dialer dialer(Side from) {
        return new Dialer(from, server, listener(), pair().spins());
    }

    /** Connects the client to the server with the usual attributes and parameters. */
    final Link connect() {
        return dialer().connect();
    }

    /** Asserts that a stack trace has a line of the caller, and that addresses in the message are as a command line takes them. */
    static void assertOfCaller(Throwable thrown, Class<?> caller) {
        if (Arrays.stream(thrown.getStackTrace()).noneMatch(line -> line.getClassName().equals(caller.getName()))) {
            throw new AssertionError("no line of " + caller.getSimpleName() + " in the stack trace", thrown);
        }
        if (thrown.getMessage().matches("(?s).*" + JDK_ADDRESS + ".*")) {
            throw new AssertionError("an address with a slash: " + thrown.getMessage(), thrown);
        }
    }

    /** Skips the test if a device lacks a capability. */
    static void assumeSupports(Device device, Capability capability) {
        Assumptions.assumeTrue(device.supports(capability), () -> "device " + device.name() + " lacks " + capability);
    }

    /** Asserts that a verb is refused which a device does not have, and skips the test if it has it. */
    static void assertRefuses(Device device, Capability capability, Executable verb) {
        assumeLacks(device, capability);
        assertNames(Assertions.assertThrows(UnsupportedVerbException.class, verb), device, capability);
    }

    /** Asserts that a closed queue takes nothing. The region may be closed, too: the provider may find either first. */
    static void assertNotPosted(Executable action) {
        RuntimeException thrown = Assertions.assertThrows(RuntimeException.class, action);
        Assertions.assertTrue(thrown instanceof ClosedException || thrown instanceof IllegalStateException, () -> "threw " + thrown);
    }

    /** Asserts that a request was refused by the remote end: the connection failed. */
    static void assertRefused(Link link) {
        link.server().awaitFailure();
        link.client().awaitFailure();
    }

    /** Skips the test if a device has a capability. */
    static void assumeLacks(Device device, Capability capability) {
        Assumptions.assumeFalse(device.supports(capability), () -> "device " + device.name() + " has " + capability);
    }

    /** Asserts that a refusal says which device lacks what. */
    static void assertNames(UnsupportedVerbException refused, Device device, Capability capability) {
        Assertions.assertTrue(refused.getMessage().contains(device.name()) && refused.getMessage().contains(capability.text())
                && refused.getMessage().contains(capability.name()), refused::getMessage);
    }

    /** Skips the test if a device does not take messages of a length. */
    final void assumeMessagesOf(long length) {
        assumeAtLeast(Math.min(client.device.attributes().maximumMessageSize(), server.device.attributes().maximumMessageSize()), length,
                "maximumMessageSize");
    }

    /** Skips the test if a limit of a device is too low for it. */
    static void assumeAtLeast(long limit, long needed, String what) {
        Assumptions.assumeTrue(limit >= needed, () -> "the device's " + what + " is " + limit + ", the test needs " + needed);
    }
}
