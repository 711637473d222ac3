package org.panamaverbs.rdmacore;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.device.GlobalIdentifier;

/**
 * The devices of {@code src/test/c/stub_device.c} in the place of libibverbs and librdmacm, and their faults.
 *
 * <p>The stub has the names of both libraries: the dynamic linker gives a library that is loaded already to a program that asks for its
 * name. So it must come before the bindings, and such tests have JVMs of their own (an execution of Surefire in the POM).
 */
@SuppressWarnings("restricted") // the stub is called natively
final class StubDevice {
    /** As a result: the call returns -1 and sets {@code errno}. */
    static final int BY_ERRNO = -1;
    private static final int FOR_EVER = -1;
    private static final Arena ARENA = Arena.global();
    /** Why there is no stub, or {@code null}. */
    private static final String MISSING;
    private static final SymbolLookup STUB;

    static {
        String missing = null;
        SymbolLookup stub = null;
        try {
            if (Boolean.getBoolean("stub.device")) {
                Path folder = Files.createDirectories(Path.of(System.getProperty("basedir", ".")).resolve("target/stub"));
                Path sources = Path.of(System.getProperty("basedir", ".")).resolve("src/test/c");
                missing = build(folder.resolve("libibverbs.so.1"), sources.resolve("stub_device.c"));
                missing = missing != null ? missing : build(folder.resolve("librdmacm.so.1"), Path.of("/dev/null"));
                if (missing == null) {
                    stub = SymbolLookup.libraryLookup(folder.resolve("libibverbs.so.1"), ARENA);
                    SymbolLookup.libraryLookup(folder.resolve("librdmacm.so.1"), ARENA);
                }
            } else {
                missing = "tests on the stub device run in a JVM of their own";
            }
        } catch (IOException e) {
            missing = "the stub device cannot be built: " + e.getMessage();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        MISSING = missing;
        STUB = stub;
    }

    private StubDevice() {
    }

    private static String build(Path library, Path source) throws IOException, InterruptedException {
        Process compiler = new ProcessBuilder("cc", "-O2", "-shared", "-fPIC", "-pthread", "-Wl,-soname," + library.getFileName(), "-o",
                library.toString(), "-x", "c", source.toString()).redirectErrorStream(true).start();
        String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return compiler.waitFor() == 0 ? null : "the stub device cannot be built (packages gcc, libibverbs-dev, librdmacm-dev): "
                + said.lines().findFirst().orElse("cc gives no reason");
    }

    /** Skips a test if there is no stub. */
    static void assumePresent() {
        Assumptions.assumeTrue(MISSING == null, MISSING);
    }

    /** No call fails any more. */
    static void heal() {
        call("stub_heal", null);
    }

    /** No fault any more, and one device; no session may be open. */
    static void reset() {
        call("stub_reset", null);
    }

    /** A call fails from now on, with a result and an error number. */
    static void fail(String call, int result, int error) {
        fail(call, result, error, 0, FOR_EVER);
    }

    /**
     * A call fails.
     *
     * @param result the value that it returns; {@link #BY_ERRNO} for -1. A call that gives an object gives NULL.
     * @param skip   so many calls succeed first
     * @param times  so many calls fail
     */
    static void fail(String call, int result, int error, int skip, int times) {
        call("stub_fail", null, text(call), result, error, skip, times);
    }

    /** How many objects of a kind there are. */
    static long live(String kind) {
        return (long) call("stub_live", ValueLayout.JAVA_LONG, text(kind));
    }

    /** How often a function was called since the last reset. */
    static long called(String function) {
        return (long) call("stub_called", ValueLayout.JAVA_LONG, text(function));
    }

    /** Another device comes in the place of the first one, with a context at the same address; no session may be open. */
    static void replace(String name, int vendor, int sharedQueues) {
        call("stub_replace", null, text(name), vendor, sharedQueues);
    }

    /** There is a second device, stub1. */
    static void addSecond(boolean canBeOpened) {
        call("stub_second", null, canBeOpened ? 0 : 1);
    }

    /** There is no device. */
    static void unplug() {
        call("stub_unplug", null);
    }

    /** The context of the first device. */
    static MemorySegment context() {
        return (MemorySegment) call("stub_context", ValueLayout.ADDRESS);
    }

    /** The queue pair that was made last. */
    static MemorySegment queuePair() {
        return (MemorySegment) call("stub_queue_pair", ValueLayout.ADDRESS);
    }

    /** The {@code ibv_qp_attr} by which a queue pair took the last step to INIT, RTR or RTS. */
    static MemorySegment step(int state) {
        return ((MemorySegment) call("stub_step", ValueLayout.ADDRESS, state)).reinterpret(ibv_qp_attr.sizeof());
    }

    /** Which fields of {@link #step} count. */
    static int stepMask(int state) {
        return (int) call("stub_step_mask", ValueLayout.JAVA_INT, state);
    }

    /** The identifier that was connected last. */
    static MemorySegment identifier() {
        return (MemorySegment) call("stub_identifier", ValueLayout.ADDRESS);
    }

    /**
     * The requests to the calls of connecting since the last reset, in their order: as {@code "from any:0;option 0.0=184;route"}. An option
     * is its level, name and value.
     */
    static String traced() {
        return ((MemorySegment) call("stub_traced", ValueLayout.ADDRESS)).reinterpret(512).getString(0);
    }

    /** The identifier that began to listen last. */
    static MemorySegment listener() {
        return (MemorySegment) call("stub_listener", ValueLayout.ADDRESS);
    }

    /** Requests posted from now on stay unfinished until their queue pair is put into error. */
    static void withhold() {
        call("stub_withhold", null, 1);
    }

    /** From now on {@code rdma_accept} takes that long, and no ESTABLISHED follows unless {@link #raiseConnection} sends it. */
    static void acceptSlowly(int millis) {
        call("stub_accept_slowly", null, millis);
    }

    /** How many bytes the receive has room for that reached the device last. */
    static long lastReceive() {
        return (long) call("stub_last_receive", ValueLayout.JAVA_LONG);
    }

    /** The number of elements of the receive that reached the device last, as irdma takes them. */
    static int lastReceiveElements() {
        return (int) call("stub_last_receive_elements", ValueLayout.JAVA_INT);
    }

    /** The number of elements of the request that reached the device last, as irdma takes them. */
    static int lastSendElements() {
        return (int) call("stub_last_send_elements", ValueLayout.JAVA_INT);
    }

    /** The flags of the request that reached the device last. */
    static int lastSendFlags() {
        return (int) call("stub_last_send_flags", ValueLayout.JAVA_INT);
    }

    /** Devices page on demand from now on; no session may be open. */
    static void pageOnDemand() {
        call("stub_on_demand", null);
    }

    /** Devices that page on demand stamp completions by such a clock; no session may be open. */
    static void setClock(long kilohertz, long mask) {
        call("stub_clock", null, kilohertz, mask);
    }

    /** Devices stamp completions from now on; no session may be open. */
    static void startClock() {
        pageOnDemand();
        setClock(1_000_000, -1);
    }

    /** The device reports a completion: the fields of an {@code ibv_wc}. */
    static void complete(MemorySegment queue, MemorySegment completion) {
        call("stub_complete", null, queue, completion);
    }

    /** The address, for the device, of the region that was registered last. */
    static long lastRegionAddress() {
        return (long) call("stub_last_region_address", ValueLayout.JAVA_LONG);
    }

    /** The rights of the region that was registered last. */
    static long lastRegionAccess() {
        return (long) call("stub_last_region_access", ValueLayout.JAVA_LONG);
    }

    /** How many bytes were prefetched for writing. */
    static long advised() {
        return (long) call("stub_advised", ValueLayout.JAVA_LONG);
    }

    /** A queue of receives has room for so many from now on. */
    static void limitReceives(int limit) {
        call("stub_receive_limit", null, limit);
    }

    /** Sets the transport of a device, stub0 or stub1 by its number; no session may be open. */
    static void setTransport(int device, int transport) {
        call("stub_transport", null, device, transport);
    }

    /** The port of a device goes down. */
    static void takeDown(int device) {
        call("stub_down", null, device, 1);
    }

    /** Sets the one identifier of the port of a device. */
    static void setIdentifier(int device, GlobalIdentifier identifier) {
        call("stub_gid", null, device, identifier.prefix(), identifier.interfaceIdentifier());
    }

    /** How many bytes a queue pair takes inline; to be said before a session is opened. */
    static void takeInline(int bytes) {
        call("stub_inline", null, bytes);
    }

    /** An asynchronous event of an object of libibverbs, by its address, or of a port, by its number. */
    static void raiseAsynchronous(int type, long element) {
        call("stub_raise_async", null, type, element);
    }

    /** A completion event of a queue. */
    static void raiseCompletion(MemorySegment queue) {
        call("stub_raise_completion", null, queue);
    }

    /** Whether a queue will raise an event of a completion. */
    static boolean notifies(MemorySegment queue) {
        return (int) call("stub_notifies", ValueLayout.JAVA_INT, queue) != 0;
    }

    /** An event of a connection. */
    static void raiseConnection(MemorySegment identifier, int type, int status) {
        call("stub_raise_connection", null, identifier, type, status);
    }

    /** A connection request at a listener. */
    static void raiseRequest(MemorySegment listener) {
        call("stub_raise_request", null, listener);
    }

    private static MemorySegment text(String value) {
        // Never freed: tests are few.
        return ARENA.allocateFrom(value);
    }

    private static Object call(String name, MemoryLayout result, Object... arguments) {
        List<MemoryLayout> layouts = new ArrayList<>();
        for (Object argument : arguments) {
            layouts.add(argument instanceof Integer ? ValueLayout.JAVA_INT
                    : argument instanceof Long ? ValueLayout.JAVA_LONG : ValueLayout.ADDRESS);
        }
        MemoryLayout[] all = layouts.toArray(MemoryLayout[]::new);
        FunctionDescriptor descriptor = result == null ? FunctionDescriptor.ofVoid(all) : FunctionDescriptor.of(result, all);
        MethodHandle handle = Linker.nativeLinker().downcallHandle(STUB.find(name).orElseThrow(), descriptor);
        try {
            return handle.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
