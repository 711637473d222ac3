package org.panamaverbs.tools.perf;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Access;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.Verbs;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Resources;

/** The request that each operation posts, on a queue pair that has all of them; the behaviour of devices is tested in the lab. */
class MessagesTest {
    private final Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
    private final Resources resources = new Resources(verbs.device(), 16);
    private final MemoryRegion region = resources.domain().register(resources.arena().allocate(64, 8), Access.LOCAL_WRITE);
    private final RemoteMemory target = new RemoteMemory(4096, 7, 64);
    private String posted;
    private List<Object> arguments;

    private Messages messages(Operation operation, long size) {
        QueuePairAttributes attributes = QueuePairAttributes.of(resources.queue()).withInline(0);
        QueuePair pair = (QueuePair) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { QueuePair.class },
                (self, method, given) -> {
                    if (method.getName().equals("attributes")) {
                        return attributes;
                    }
                    posted = method.getName();
                    arguments = Arrays.asList(given);
                    return true;
                });
        return new Messages(new Plan(operation, Plan.Mode.BANDWIDTH, Waiting.BLOCK, size, 4, 0, 0), pair, region, region, target);
    }

    @AfterEach
    void close() {
        resources.close();
        verbs.close();
    }

    @Test
    void shouldCountInImmediateDataAndAtomics() {
        int flags = QueuePair.SIGNALED;
        long number = (1L << 32) + 5;
        assertAll(() -> assertPosts(Operation.FETCH_ADD, 8, number, "tryPostFetchAndAdd", 9L, region, 0L, target, 0L, 1L, flags),
                () -> assertPosts(Operation.COMPARE_SWAP, 8, number, "tryPostCompareAndSwap", 9L, region, 0L, target, 0L, number,
                        number + 1,
                        flags),
                () -> assertPosts(Operation.IMMEDIATE, 8, number, "tryPostImmediate", 9L, number, flags),
                () -> assertPosts(Operation.WRITE_IMMEDIATE, 64, number, "tryPostWriteImmediate", 9L, region, 0L, 64L, target, 0L, 5,
                        flags),
                () -> assertPosts(Operation.SEND_IMMEDIATE, 64, number, "tryPostSendImmediate", 9L, region, 0L, 64L, 5, flags));
    }

    private void assertPosts(Operation operation, long size, long number, String name, Object... expected) {
        assertTrue(messages(operation, size).post(9, number, QueuePair.SIGNALED));
        assertEquals(name, posted);
        assertEquals(List.of(expected), arguments);
    }

    @ParameterizedTest
    @CsvSource({ "FETCH_ADD", "COMPARE_SWAP" })
    void shouldNotTakeAtomicsThatDidNothingForDone(Operation operation) {
        Messages messages = messages(operation, 8);
        messages.check(0);
        region.segment().set(ValueLayout.JAVA_LONG, 0, 6);
        messages.check(7);
        String why = assertThrows(Failure.class, () -> messages.check(8)).getMessage();
        assertTrue(why.contains(operation + " number 7 found 6"), why);
    }
}
