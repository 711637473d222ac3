package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.ResourceException;
import org.panamaverbs.Verbs;

/** Memory runs out, in each of two ways, while a stream grows. */
class StreamMemoryTest {
    private static final int BUFFER = 1 << 20;
    private static final int FIRST = 8 << 10;
    private static final int SECOND = 64 << 10;

    private Verbs verbs;
    private ProtectionDomain domain;
    private final BlockPool pool = new BlockPool(64 << 20);
    /** So many blocks can still be registered. */
    private int registrations = Integer.MAX_VALUE;
    private final List<MemoryRegion> registered = new ArrayList<>();

    @BeforeEach
    void open() {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        domain = verbs.device().allocateProtectionDomain();
    }

    @AfterEach
    void close() {
        domain.close();
        verbs.close();
        pool.close();
    }

    private ProtectionDomain failing(boolean error) {
        return (ProtectionDomain) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { ProtectionDomain.class },
                (proxy, method, arguments) -> {
                    if (method.getName().equals("register") && registrations-- <= 0) {
                        throw error ? new OutOfMemoryError("no memory") : new ResourceException("no memory");
                    }
                    try {
                        Object result = method.invoke(domain, arguments);
                        if (result instanceof MemoryRegion region) {
                            registered.add(region);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldGrantTheBlockAgainThatCannotBecomeLarger(boolean error) {
        Grants grants = new Grants(pool, failing(error), BUFFER);
        Block block = grants.renew(1);
        registrations = 0;
        grants.consumed(1);
        assertSame(block, grants.renew(1));
        registrations = 1;
        assertTrue(grants.renew(1).size() > block.size());
        grants.release();
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldSendFromOneBlockIfThereIsNoOther(boolean error) {
        SendMemory sends = new SendMemory(pool, failing(error), null, BUFFER);
        registrations = 1;
        int size = sends.room(BUFFER);
        MemorySegment bytes = MemorySegment.ofArray(new byte[size]);
        sends.copy(bytes, 0, size, size);
        assertEquals(0, sends.room(BUFFER));
        assertFalse(sends.hasRoom(), "a program would try again and again");
        sends.completed(size);
        assertTrue(sends.hasRoom());
        assertEquals(size, sends.room(BUFFER));
        sends.copy(bytes, 0, size, 2L * size);
        registrations = 1;
        assertTrue(sends.room(BUFFER) > 0, "memory is there again");
        sends.release();
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldFailWithoutAFirstBlock(boolean error) {
        registrations = 0;
        SendMemory sends = new SendMemory(pool, failing(error), null, BUFFER);
        Class<? extends Throwable> expected = error ? OutOfMemoryError.class : ResourceException.class;
        assertThrows(expected, () -> sends.room(BUFFER));
        assertThrows(expected, () -> new Grants(pool, failing(error), BUFFER));
        registrations = 1;
        assertTrue(sends.room(BUFFER) > 0);
        sends.release();
    }

    /** The bytes that wait lie in both blocks, and leave in parts. */
    @Test
    void shouldKeepBytesThatWaitInOrder() {
        SendMemory sends = new SendMemory(pool, failing(false), null, BUFFER);
        byte[] bytes = new byte[FIRST + SECOND];
        new Random(1).nextBytes(bytes);
        MemorySegment from = MemorySegment.ofArray(bytes);
        int sent = 100;
        assertEquals(FIRST, sends.roomInBlocks());
        assertFalse(sends.copy(from, 0, sent, sent));
        sends.posted(false);
        int kept = sent;
        for (int room = sends.roomInBlocks(); room > 0; room = sends.roomInBlocks()) {
            int part = Math.min(room, 3000);
            sends.keep(from, kept, part, kept == sent, kept + part);
            kept += part;
        }
        assertEquals(bytes.length, kept, "a peer that takes nothing fills a larger block, too");
        assertFalse(sends.hasRoom());
        sends.completed(sent);
        assertFalse(sends.hasRoom());
        while (sent < kept) {
            int part = Math.min(sends.waitingLength(kept - sent), 5000);
            assertTrue(part > 0);
            assertEquals(-1, MemorySegment.mismatch(from, sent, sent + part, sends.waitingRegion().segment(), sends.waitingOffset(),
                    sends.waitingOffset() + part));
            sends.take(part);
            sent += part;
        }
        sends.completed(FIRST);
        assertTrue(sends.roomInBlocks() > FIRST, "the first block gives way to a larger one");
        sends.release();
    }

    @Test
    void shouldKeepNoMoreThanItsSize() {
        for (int size : new int[] { StreamOptions.LEAST_BUFFER, 64 << 10, BUFFER }) {
            SendMemory sends = new SendMemory(pool, failing(false), null, size);
            MemorySegment bytes = MemorySegment.ofArray(new byte[BUFFER]);
            int kept = 0;
            for (int room = sends.roomInBlocks(); room > 0; room = sends.roomInBlocks()) {
                sends.keep(bytes, 0, room, kept == 0, kept + room);
                kept += room;
            }
            assertTrue(kept >= Math.min(size, StreamOptions.LEAST_BUFFER) && kept <= size, kept + " bytes of " + size);
            sends.release();
        }
    }

    @Test
    void shouldGiveAllBlocksBack() {
        SendMemory sends = new SendMemory(pool, failing(false), null, BUFFER);
        MemorySegment bytes = MemorySegment.ofArray(new byte[BUFFER]);
        for (int round = 0; round < 3; round++) {
            assertFalse(sends.hasBlocks());
            registered.clear();
            assertEquals(FIRST, sends.roomInBlocks());
            sends.keep(bytes, 0, FIRST, true, FIRST);
            assertEquals(SECOND, sends.roomInBlocks());
            assertTrue(sends.hasBlocks());
            assertEquals(2, registered.stream().filter(MemoryRegion::isValid).count());
            sends.take(FIRST);
            sends.completed(FIRST);
            sends.release();
            assertEquals(0, registered.stream().filter(MemoryRegion::isValid).count());
        }
    }

    @Test
    void shouldHaveAPlaceForShortMessages() {
        Block first = Block.take(pool, failing(false), BlockPool.SMALLEST, Set.of());
        registrations = 1;
        SendMemory sends = new SendMemory(pool, failing(false), first, BUFFER);
        MemorySegment bytes = MemorySegment.ofArray(new byte[MessagePort.INLINE]);
        for (int i = 0; i < 3; i++) {
            assertEquals(20, sends.room(20));
            assertSame(first.region(), sends.region());
            assertEquals(MessagePort.BYTES, sends.offset());
            assertFalse(sends.copy(bytes, 0, 20, 20));
            assertEquals(MessagePort.BYTES + 20, sends.offset());
            assertFalse(sends.copy(bytes, 0, 30, 50));
            // Bytes that are gathered stay, whatever completes.
            sends.completed(0);
            assertEquals(MessagePort.BYTES + 50, sends.offset());
            sends.posted(true);
        }
        assertEquals(1, registrations);
        assertTrue(sends.room(MessagePort.INLINE + 1) > MessagePort.INLINE);
        assertNotSame(first.region(), sends.region());
        sends.copy(bytes, 0, 20, 20);
        sends.posted(true);
        assertEquals(0, sends.offset());
        sends.release();
        first.release();
    }
}
