package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.ResourceException;
import org.panamaverbs.Verbs;

/** Memory runs out, in each of two ways, while a stream grows. */
class StreamMemoryTest {
    private static final int BUFFER = 1 << 20;

    private Verbs verbs;
    private ProtectionDomain domain;
    private final BlockPool pool = new BlockPool(64 << 20);
    /** So many blocks can still be registered. */
    private int registrations = Integer.MAX_VALUE;

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
                        return method.invoke(domain, arguments);
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
        SendMemory sends = new SendMemory(pool, failing(error), BUFFER);
        registrations = 1;
        int size = sends.room();
        MemorySegment bytes = MemorySegment.ofArray(new byte[size]);
        sends.copy(bytes, 0, size, size);
        assertEquals(0, sends.room());
        assertFalse(sends.hasRoom(), "a program would try again and again");
        sends.completed(size);
        assertTrue(sends.hasRoom());
        assertEquals(size, sends.room());
        sends.copy(bytes, 0, size, 2L * size);
        registrations = 1;
        assertTrue(sends.room() > 0, "memory is there again");
        sends.release();
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldFailWithoutAFirstBlock(boolean error) {
        registrations = 0;
        SendMemory sends = new SendMemory(pool, failing(error), BUFFER);
        Class<? extends Throwable> expected = error ? OutOfMemoryError.class : ResourceException.class;
        assertThrows(expected, sends::room);
        assertThrows(expected, () -> new Grants(pool, failing(error), BUFFER));
        registrations = 1;
        assertTrue(sends.room() > 0);
        sends.release();
    }
}
