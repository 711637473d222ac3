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
import org.panamaverbs.bindings.rdma.ibv_mw_bind;
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
                missing = missing != null ? missing
                        : build(folder.resolve("libefa.so.1"), sources.resolve("stub_efa.c"), folder.resolve("libibverbs.so.1"));
                if (missing == null) {
                    stub = SymbolLookup.libraryLookup(folder.resolve("libibverbs.so.1"), ARENA);
                    SymbolLookup.libraryLookup(folder.resolve("librdmacm.so.1"), ARENA);
                    SymbolLookup.libraryLookup(folder.resolve("libefa.so.1"), ARENA);
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

    private static String build(Path library, Path source, Path... needed) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("cc", "-O2", "-shared", "-fPIC", "-pthread", "-Wl,-soname," + library.getFileName(),
                "-o", library.toString(), "-x", "c", source.toString(), "-x", "none"));
        for (Path other : needed) {
            command.add(other.toString());
        }
        Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
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

    /** A function that is counted waits from now on, once it is; {@link #letGo} ends that. */
    static void hold(String function) {
        call("stub_hold", null, text(function));
    }

    /** The calls that {@link #hold} holds go on. */
    static void letGo() {
        hold("");
    }

    /** Another device comes in the place of the first one, with a context at the same address; no session may be open. */
    static void replace(String name, int vendor, int sharedQueues) {
        call("stub_replace", null, text(name), vendor, sharedQueues);
    }

    /** There is a second device, stub1. */
    static void addSecond(boolean canBeOpened) {
        call("stub_second", null, canBeOpened ? 0 : 1);
    }

    /** From now on librdmacm leaves out devices that cannot be opened, as it does since rdma-core 38. */
    static void leaveOut() {
        call("stub_leave_out", null);
    }

    /** The first device cannot be opened. */
    static void refuseFirst() {
        call("stub_refuse_first", null);
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

    /** What events of connections say of Reads from now on. */
    static void sayReads(int responderResources, int initiatorDepth) {
        call("stub_say_reads", null, responderResources, initiatorDepth);
    }

    /** The {@code responder_resources} that {@code rdma_accept} was given last. */
    static int acceptedResources() {
        return (int) call("stub_accepted_resources", ValueLayout.JAVA_INT);
    }

    /** The {@code initiator_depth} that {@code rdma_accept} was given last. */
    static int acceptedDepth() {
        return (int) call("stub_accepted_depth", ValueLayout.JAVA_INT);
    }

    /** How often a library would have looked behind a list of elements that is NULL. */
    static int nullLists() {
        return (int) call("stub_null_lists", ValueLayout.JAVA_INT);
    }

    /** Registrations wait from now on, or go on. */
    static void holdRegistrations(boolean on) {
        call("stub_hold_registrations", null, on ? 1 : 0);
    }

    /** How many registrations wait. */
    static int heldRegistrations() {
        return (int) call("stub_held_registrations", ValueLayout.JAVA_INT);
    }

    /** Queue pairs in error refuse posts with this result from now on. */
    static void refuseInError(int result) {
        call("stub_refuse_in_error", null, result);
    }

    /** The ports of devices are InfiniBand's from now on, with such {@code IBV_QPF_...}; no session may be open. */
    static void speakInfiniBand(int flags) {
        call("stub_infiniband", null, flags);
    }

    /** Whether the address handle that was made last is of a route with a global routing header. */
    static boolean lastIsGlobal() {
        return (int) call("stub_last_is_global", ValueLayout.JAVA_INT) != 0;
    }

    /** Devices have such atomics from now on, {@code IBV_ATOMIC_...}; no session may be open. */
    static void haveAtomics(int capability) {
        call("stub_atomics", null, capability);
    }

    /** Devices register memory of other devices from now on; no session may be open. */
    static void takeDmaBufs() {
        call("stub_take_dma_bufs", null);
    }

    /** Devices have memory windows from now on; no session may be open. */
    static void haveWindows() {
        call("stub_have_windows", null);
    }

    /** How many requests were posted while they were withheld, each counted as often as it was posted. */
    static long withheldRequests() {
        return (long) call("stub_withheld_requests", ValueLayout.JAVA_LONG);
    }

    /** The {@code ibv_mw_bind} that {@code bind_mw} was given last, and behind it how many of these requests came before it. */
    static MemorySegment bound() {
        return ((MemorySegment) call("stub_bound", ValueLayout.ADDRESS)).reinterpret(ibv_mw_bind.sizeof() + Long.BYTES);
    }

    /** Queue pairs that are put into error report nothing from now on. */
    static void silence() {
        call("stub_silence", null);
    }

    /** The device takes a queue pair into another state by itself. */
    static void breakQueuePair(MemorySegment queuePair, int state) {
        call("stub_break_queue_pair", null, queuePair, state);
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

    static Object call(String name, MemoryLayout result, Object... arguments) {
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
