package org.panamaverbs.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
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
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.spi.Described;
import org.panamaverbs.spi.SendOperation;
import org.panamaverbs.spi.SendWorkRequest;
import org.panamaverbs.spi.SendWorkRequest.Part;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Resources;

/** The request that each operation posts, on a queue pair that has all of them; the behaviour of devices is tested in the lab. */
class MessagesTest {
    private final Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
    private final Resources resources = new Resources(verbs.device(), 16);
    private final MemoryRegion region = resources.domain().register(resources.arena().allocate(64, 8), Access.LOCAL_WRITE);
    private final RemoteMemory target = new RemoteMemory(4096, 7, 64);
    private SendRequest posted;

    private Messages messages(Operation operation, long size) {
        QueuePairAttributes attributes = QueuePairAttributes.of(resources.queue()).withInline(0);
        QueuePair pair = (QueuePair) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { QueuePair.class },
                (self, method, given) -> {
                    if (method.getName().equals("attributes")) {
                        return attributes;
                    }
                    posted = (SendRequest) given[0];
                    return true;
                });
        return new Messages(new Plan(operation, Plan.Mode.BANDWIDTH, Waiting.BLOCK, size, 4, size, 0, 0), pair, region, region, target);
    }

    @AfterEach
    void close() {
        resources.close();
        verbs.close();
    }

    @Test
    void shouldCountInImmediateDataAndAtomics() {
        long number = (1L << 32) + 5;
        SendWorkRequest fetchAdd = posted(Operation.FETCH_ADD, 8, number);
        assertPosts(SendOperation.FETCH_AND_ADD, 8, fetchAdd);
        assertEquals(1, fetchAdd.value(Part.ADD));
        SendWorkRequest compareSwap = posted(Operation.COMPARE_SWAP, 8, number);
        assertPosts(SendOperation.COMPARE_AND_SWAP, 8, compareSwap);
        assertEquals(number, compareSwap.value(Part.COMPARE));
        assertEquals(number + 1, compareSwap.value(Part.SWAP));
        assertEquals(number, posted(Operation.IMMEDIATE, 8, number).value(Part.DATA));
        SendWorkRequest write = posted(Operation.WRITE_IMMEDIATE, 64, number);
        assertPosts(SendOperation.WRITE_WITH_IMMEDIATE, 64, write);
        assertEquals(5, write.immediate());
        SendWorkRequest send = posted(Operation.SEND_IMMEDIATE, 64, number);
        assertEquals(SendOperation.SEND_WITH_IMMEDIATE, send.operation());
        assertEquals(5, send.immediate());
    }

    private SendWorkRequest posted(Operation operation, long size, long number) {
        assertTrue(messages(operation, size).post(9, number, true, false));
        SendWorkRequest work = Described.of(posted);
        assertEquals(9, work.id());
        assertEquals(SendWorkRequest.SIGNALED, work.flags());
        return work;
    }

    private void assertPosts(SendOperation expected, long length, SendWorkRequest request) {
        assertEquals(expected, request.operation());
        assertEquals(region, request.region(0));
        assertEquals(length, request.totalLength());
        assertEquals(target.address(), request.remoteAddress());
        assertEquals(target.key(), request.remoteKey());
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
