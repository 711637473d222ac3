package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.NativeHandles;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_cq;
import org.panamaverbs.bindings.rdma.ibv_device_attr_ex;
import org.panamaverbs.bindings.rdma.ibv_mr;
import org.panamaverbs.bindings.rdma.ibv_odp_caps;
import org.panamaverbs.bindings.rdma.ibv_pd;
import org.panamaverbs.bindings.rdma.ibv_qp;
import org.panamaverbs.bindings.rdma.ibv_srq;
import org.panamaverbs.bindings.rdma.verbs_context;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.rdmacore.ffi.ExtendedVerbs;

/** What a program does with the library's own objects. */
@SuppressWarnings("restricted") // it calls the library itself
class NativeHandlesFaultsTest extends OnStubDevice {
    private static NativeHandles handles(Device device) {
        return device.extension(NativeHandles.class).orElseThrow();
    }

    /** {@code ibv_query_device_ex} is an inline function of verbs.h, which calls through the context. */
    @Test
    void shouldLetAProgramCallTheLibraryItself() throws Throwable {
        StubDevice.pageOnDemand();
        try (Verbs verbs = open(); Arena arena = Arena.ofConfined()) {
            Device device = verbs.device("stub0");
            MemorySegment context = handles(device).context();
            MethodHandle query = Linker.nativeLinker().downcallHandle(
                    ExtendedVerbs.operation(((CoreDevice) device).context(), verbs_context.query_device_ex$offset()), FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
            MemorySegment attributes = ibv_device_attr_ex.allocate(arena);
            assertEquals(0, (int) query.invokeExact(context, MemorySegment.NULL, attributes, attributes.byteSize()));
            assertEquals(Rdma.IBV_ODP_SUPPORT(), ibv_odp_caps.general_caps(ibv_device_attr_ex.odp_caps(attributes)));
        }
    }

    @Test
    void shouldGiveTheObjectsOfTheLibrary() {
        try (Verbs verbs = open(); Arena arena = Arena.ofShared()) {
            Device device = verbs.device("stub0");
            NativeHandles handles = handles(device);
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            CompletionQueue queue = createQueue(device, false);
            MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            SharedReceiveQueue shared = domain.createSharedReceiveQueue(4, 1);
            Connection connection = connect(domain, QueuePairAttributes.of(queue));
            assertEquals(0, handles.context().byteSize());
            MemorySegment context = ibv_pd.context(handles.of(domain).reinterpret(ibv_pd.sizeof()));
            assertEquals(handles.context().address(), context.address());
            assertEquals(context.address(), ibv_cq.context(handles.of(queue).reinterpret(ibv_cq.sizeof())).address());
            assertEquals(context.address(), ibv_srq.context(handles.of(shared).reinterpret(ibv_srq.sizeof())).address());
            assertEquals(region.localKey(), ibv_mr.lkey(handles.of(region).reinterpret(ibv_mr.sizeof())));
            assertEquals(connection.queuePair().number(), ibv_qp.qp_num(handles.of(connection.queuePair()).reinterpret(ibv_qp.sizeof())));
            connection.queuePair().close();
            assertThrows(ClosedException.class, () -> handles.of(connection.queuePair()));
            region.close();
            assertThrows(ClosedException.class, () -> handles.of(region));
            shared.close();
            assertThrows(ClosedException.class, () -> handles.of(shared));
            queue.close();
            assertThrows(ClosedException.class, () -> handles.of(queue));
            domain.close();
            assertThrows(ClosedException.class, () -> handles.of(domain));
        }
    }

    @Test
    void shouldRefuseAClosedDevice() {
        NativeHandles handles;
        try (Verbs verbs = open()) {
            handles = handles(verbs.device("stub0"));
        }
        assertThrows(ClosedException.class, handles::context);
    }

    @Test
    void shouldRefuseTheObjectsOfOtherDevices() {
        try (Verbs verbs = open(); Verbs other = open()) {
            CompletionQueue queue = createQueue(other.device("stub0"), false);
            String message = assertThrows(IllegalArgumentException.class, () -> handles(verbs.device("stub0")).of(queue)).getMessage();
            assertTrue(message.contains("belongs to device stub0"), message);
        }
    }
}
