package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.MemoryWindow.Type;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;

/** Memory windows: the server opens them, the client goes through them. */
public abstract class MemoryWindowContract extends ContractTest {
    private static final int CANARY = 0x5A;
    private static final int SIZE = 4096;
    private static final int START = 1024;
    private static final int LENGTH = 512;
    private static final Access WRITE = Access.REMOTE_WRITE;
    private static final Access READ = Access.REMOTE_READ;

    /** A window onto the middle of a region, and a connection. */
    private final class Scene {
        final Link link = connect();
        final MemoryRegion region = server.region(SIZE, Access.LOCAL_WRITE, Access.BIND_MEMORY_WINDOW);
        final MemoryRegion local = client.region(SIZE);
        final MemoryWindow window;

        Scene(Type type, Access... access) {
            window = server.domain.allocateMemoryWindow(type);
            region.segment().fill((byte) CANARY);
            Pattern.fill(local.segment(), 0, SIZE, 1);
            bind(START, LENGTH, access);
            link.server().sent.next().succeeded(1, CompletionOpcode.BIND_MEMORY_WINDOW);
        }

        void bind(long offset, long length, Access... access) {
            link.server().queuePair.post(new SendRequest().bind(1, window).local(region, offset, length).access(access).signaled());
        }

        void write(Link by, int key, long offset, long length) {
            by.client().queuePair.post(new SendRequest().write(2).local(local, 0, length)
                    .remote(new RemoteMemory(region.address() + offset, key, Long.MAX_VALUE), 0).signaled());
        }

        void write(long offset, long length) {
            write(link, window.remoteKey(), offset, length);
        }

        void read(long offset, long length) {
            link.client().queuePair.post(new SendRequest().read(3).local(local, 0, length)
                    .remote(new RemoteMemory(region.address() + offset, window.remoteKey(), Long.MAX_VALUE), 0).signaled());
        }

        void isUntouched() {
            Pattern.verifyAll(region.segment(), 0, SIZE, CANARY, "memory that the peer may not write");
        }
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldLetThePeerWriteAndRead(Type type) {
        assumeWindows(type);
        Scene scene = new Scene(type, WRITE, READ);
        scene.write(START, LENGTH);
        written(scene.link);
        Pattern.verify(scene.region.segment(), START, LENGTH, 1);
        Pattern.verifyAll(scene.region.segment(), 0, START, CANARY, "memory before the window");
        Pattern.verifyAll(scene.region.segment(), START + LENGTH, SIZE - START - LENGTH, CANARY, "memory behind the window");
        scene.local.segment().fill((byte) 0);
        scene.read(START + 1, LENGTH - 1);
        scene.link.client().sent.next().succeeded(3, CompletionOpcode.READ);
        Pattern.verify(scene.local.segment(), 0, LENGTH - 1, 1, 1);
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldRefuseWhatLiesInTheRegionButBeforeTheWindow(Type type) {
        refuses(type, START - 1);
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldRefuseWhatLiesInTheRegionButBehindTheWindow(Type type) {
        refuses(type, START + 1);
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldRefuseWhatLiesOutsideTheRegion(Type type) {
        refuses(type, SIZE - 8);
    }

    private void refuses(Type type, long offset) {
        assumeWindows(type);
        Scene scene = new Scene(type, WRITE);
        scene.write(offset, LENGTH);
        assertRefused(scene.link);
        scene.isUntouched();
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldRefuseAWriteThroughAWindowForReads(Type type) {
        assumeWindows(type);
        Scene scene = new Scene(type, READ);
        scene.write(START, LENGTH);
        assertRefused(scene.link);
        scene.isUntouched();
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldRefuseAReadThroughAWindowForWrites(Type type) {
        assumeWindows(type);
        Scene scene = new Scene(type, WRITE);
        scene.read(START, LENGTH);
        assertRefused(scene.link);
    }

    @Test
    void shouldLetOtherConnectionsThroughAWindowOfTheDomain() {
        assumeWindows(Type.TYPE_1);
        Scene scene = new Scene(Type.TYPE_1, WRITE);
        Link other = dialer().connect();
        scene.write(other, scene.window.remoteKey(), START, LENGTH);
        written(other);
        Pattern.verify(scene.region.segment(), START, LENGTH, 1);
    }

    @Test
    void shouldRefuseOtherConnectionsAtAWindowOfAQueuePair() {
        assumeWindows(Type.TYPE_2);
        Scene scene = new Scene(Type.TYPE_2, WRITE);
        Link other = dialer().connect();
        scene.write(other, scene.window.remoteKey(), START, LENGTH);
        assertRefused(other);
        scene.isUntouched();
        scene.link.exchange(4);
    }

    @Test
    void shouldReplaceWhatAWindowWasBoundTo() {
        assumeWindows(Type.TYPE_1);
        Scene scene = new Scene(Type.TYPE_1, READ);
        int old = scene.window.remoteKey();
        scene.bind(0, START, WRITE);
        assertNotEquals(old, scene.window.remoteKey());
        scene.link.server().sent.next().succeeded(1, CompletionOpcode.BIND_MEMORY_WINDOW);
        scene.write(0, START);
        written(scene.link);
        Pattern.verify(scene.region.segment(), 0, START, 1);
        scene.write(scene.link, old, 0, START);
        assertRefused(scene.link);
    }

    @Test
    void shouldLetNobodyThroughAWindowThatIsUnbound() {
        assumeWindows(Type.TYPE_1);
        Scene scene = new Scene(Type.TYPE_1, WRITE);
        int old = scene.window.remoteKey();
        scene.bind(0, 0);
        scene.link.server().sent.next().succeeded(1, CompletionOpcode.BIND_MEMORY_WINDOW);
        scene.write(scene.link, old, START, LENGTH);
        assertRefused(scene.link);
        scene.isUntouched();
    }

    @Test
    void shouldLetNobodyThroughAWindowThatWasInvalidated() {
        assumeWindows(Type.TYPE_2);
        Scene scene = new Scene(Type.TYPE_2, WRITE);
        scene.link.server().queuePair.post(new SendRequest().localInvalidate(5, scene.window.remoteKey()).signaled());
        scene.link.server().sent.next().succeeded(5, CompletionOpcode.LOCAL_INVALIDATE);
        scene.write(START, LENGTH);
        assertRefused(scene.link);
        scene.isUntouched();
    }

    @Test
    void shouldBindAWindowAnewOnceItIsInvalidated() {
        assumeWindows(Type.TYPE_2);
        Scene scene = new Scene(Type.TYPE_2, READ);
        QueuePair queuePair = scene.link.server().queuePair;
        for (int i = 0; i < 300; i++) {
            queuePair.post(new SendRequest().localInvalidate(5, scene.window.remoteKey()).more());
            scene.bind(START, LENGTH, WRITE);
            scene.link.server().sent.next().succeeded(1, CompletionOpcode.BIND_MEMORY_WINDOW);
        }
        scene.write(START, LENGTH);
        written(scene.link);
        Pattern.verify(scene.region.segment(), START, LENGTH, 1);
    }

    @Test
    void shouldLetThePeerInvalidateAWindow() {
        assumeWindows(Type.TYPE_2);
        Scene scene = new Scene(Type.TYPE_2, WRITE);
        int key = scene.window.remoteKey();
        scene.write(START, LENGTH);
        scene.link.client().sent.next().succeeded(2, CompletionOpcode.WRITE);
        scene.link.server().receive(6, server.region(8), 0, 8);
        scene.link.client().queuePair.post(new SendRequest().send(7).local(new ScatterGatherList(1)).invalidating(key).signaled());
        scene.link.client().sent.next().succeeded(7, CompletionOpcode.SEND);
        Completed received = scene.link.server().received.next().received(6, 0);
        assertTrue(received.hasInvalidatedKey(), "the completion should tell that a key was invalidated");
        assertEquals(key, received.invalidatedKey());
        scene.region.segment().fill((byte) CANARY);
        scene.write(START, LENGTH);
        assertRefused(scene.link);
        scene.isUntouched();
    }

    @Test
    void shouldFailToBindAWindowThatIsBound() {
        assumeWindows(Type.TYPE_2);
        Scene scene = new Scene(Type.TYPE_2, WRITE);
        int key = scene.window.remoteKey();
        scene.bind(0, LENGTH, WRITE);
        assertEquals(CompletionStatus.MEMORY_WINDOW_BIND_ERROR, scene.link.server().sent.next().status());
        scene.link.server().awaitDisconnected();
        assertEquals(key, scene.window.remoteKey(), "the key of the last binding that was made");
    }

    @Test
    void shouldGiveAKeyBackThatWasNeverMadeValid() {
        assumeWindows(Type.TYPE_1);
        Scene scene = new Scene(Type.TYPE_1, WRITE);
        int key = scene.window.remoteKey();
        scene.link.server().queuePair
                .post(new SendRequest().bind(8, scene.window).local(scene.region, 0, 8).access(WRITE).signaled().more());
        scene.link.client().connection.disconnect();
        scene.link.server().awaitDisconnected();
        scene.link.server().sent.flushed(8);
        assertEquals(key, scene.window.remoteKey());
        Link other = dialer().connect();
        other.server().queuePair.post(new SendRequest().bind(9, scene.window).local(scene.region, 0, 8).access(WRITE).signaled());
        other.server().sent.next().succeeded(9, CompletionOpcode.BIND_MEMORY_WINDOW);
        scene.write(other, scene.window.remoteKey(), 0, 8);
        other.client().sent.next().succeeded(2, CompletionOpcode.WRITE);
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldLetNobodyThroughAWindowThatIsClosed(Type type) {
        assumeWindows(type);
        Scene scene = new Scene(type, WRITE);
        scene.window.close();
        scene.window.close();
        scene.write(START, LENGTH);
        assertRefused(scene.link);
        scene.isUntouched();
        assertThrows(ClosedException.class, () -> scene.bind(0, 8, WRITE));
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldLetNobodyThroughToARegionThatIsClosed(Type type) {
        assumeWindows(type);
        Scene scene = new Scene(type, WRITE);
        scene.region.close();
        scene.write(START, LENGTH);
        assertRefused(scene.link);
        scene.isUntouched();
        scene.window.close();
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldCloseInAnyOrderWithBindingsUnderWay(Type type) {
        assumeWindows(type);
        for (int order = 0; order < 6; order++) {
            Scene scene = new Scene(type, READ);
            scene.link.server().queuePair
                    .post(new SendRequest().bind(8, scene.window).local(scene.region, 0, 8).access(WRITE).more(order % 2 == 0));
            AutoCloseable[] things = { scene.window, scene.region, scene.link.server().queuePair };
            close(things[order % 3]);
            if (order % 3 != 2) {
                scene.link.server().queuePair.ringDoorbell();
            }
            close(things[(order + 1) % 3]);
            close(things[(order + 2) % 3]);
        }
        dialer().connect().exchange(1);
    }

    private static void close(AutoCloseable thing) {
        try {
            thing.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldCloseWithTheDomain() {
        assumeWindows(Type.TYPE_1);
        ProtectionDomain domain = server.device.allocateProtectionDomain();
        MemoryWindow window = domain.allocateMemoryWindow(Type.TYPE_1);
        assertEquals(Type.TYPE_1, window.type());
        assertEquals(domain, window.domain());
        domain.close();
        assertThrows(ClosedException.class, () -> domain.allocateMemoryWindow(Type.TYPE_1));
        window.close();
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldCheckWhatIsBound(Type type) {
        assumeWindows(type);
        Scene scene = new Scene(type, READ);
        QueuePair queuePair = scene.link.server().queuePair;
        MemoryWindow window = scene.window;
        MemoryRegion region = scene.region;
        int key = window.remoteKey();
        MemoryWindow foreign = server.device.allocateProtectionDomain().allocateMemoryWindow(type);
        MemoryRegion noWindows = server.region(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        MemoryRegion notWritable = server.region(64, Access.BIND_MEMORY_WINDOW, Access.REMOTE_READ);
        assertThrows(NullPointerException.class,
                () -> queuePair.tryPost(new SendRequest().bind(1, null).local(region, 0, 8).access(WRITE)));
        assertThrows(NullPointerException.class,
                () -> queuePair.tryPost(new SendRequest().bind(1, window).local(null, 0, 8).access(WRITE)));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new SendRequest().bind(1, foreign).local(region, 0, 8).access(WRITE)));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new SendRequest().bind(1, window).local(noWindows, 0, 8).access(WRITE)));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new SendRequest().bind(1, window).local(notWritable, 0, 8).access(WRITE)));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new SendRequest().bind(1, window).local(region, 0, 8).access(Access.LOCAL_WRITE)));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new SendRequest().bind(1, window).local(region, 0, 8).access(WRITE, Access.BIND_MEMORY_WINDOW)));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new SendRequest().bind(1, window).local(region, 0, 8).access(WRITE).inline()));
        assertThrows(IndexOutOfBoundsException.class,
                () -> queuePair.tryPost(new SendRequest().bind(1, window).local(region, SIZE - 7, 8).access(WRITE)));
        assertThrows(IndexOutOfBoundsException.class,
                () -> queuePair.tryPost(new SendRequest().bind(1, window).local(region, -1, 8).access(WRITE)));
        assertThrows(IndexOutOfBoundsException.class,
                () -> queuePair.tryPost(new SendRequest().bind(1, window).local(region, 8, Long.MAX_VALUE).access(WRITE)));
        if (type == Type.TYPE_2) {
            assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new SendRequest().bind(1, window).local(region, 0, 0)));
        }
        assertEquals(key, window.remoteKey(), "nothing was bound");
        scene.link.exchange(3);
        queuePair.close();
        assertThrows(ClosedException.class, () -> queuePair.tryPost(new SendRequest().bind(1, window).local(region, 0, 8).access(WRITE)));
    }

    @Test
    void shouldRegisterForReadingAlone() {
        assumeWindows(Type.TYPE_1);
        Link link = connect();
        MemoryRegion region = server.domain.register(Arena.ofAuto().allocate(64), Access.BIND_MEMORY_WINDOW);
        MemoryWindow window = server.domain.allocateMemoryWindow(Type.TYPE_1);
        link.server().queuePair.post(new SendRequest().bind(1, window).local(region, 0, 64).access(READ).signaled());
        link.server().sent.next().succeeded(1, CompletionOpcode.BIND_MEMORY_WINDOW);
        assertFalse(window.remoteKey() == region.remoteKey(), "the window has a key of its own");
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldSaySoWhereTheDeviceHasNone(Type type) {
        assertRefuses(server.device, capability(type), () -> server.domain.allocateMemoryWindow(type));
    }

    @Test
    void shouldSaySoWhereTheDeviceHasNotTheRight() {
        assumeLacks(server.device, Capability.MEMORY_WINDOW_TYPE_1);
        assertRefuses(server.device, Capability.MEMORY_WINDOW_TYPE_2,
                () -> server.region(8, Access.LOCAL_WRITE, Access.BIND_MEMORY_WINDOW));
    }

    /** A Write has completed, and has arrived: on iWARP it completes when it is sent, and a message behind it comes after it. */
    private static void written(Link by) {
        by.client().sent.next().succeeded(2, CompletionOpcode.WRITE);
        by.exchange(4);
    }

    private static Capability capability(Type type) {
        return type == Type.TYPE_1 ? Capability.MEMORY_WINDOW_TYPE_1 : Capability.MEMORY_WINDOW_TYPE_2;
    }

    private void assumeWindows(Type type) {
        assumeSupports(server.device, capability(type));
    }
}
