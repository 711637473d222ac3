package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.Transport;

final class QueuePairAttributesTest {
    private static int mostInline;
    private static final Device DEVICE = (Device) Proxy.newProxyInstance(QueuePairAttributesTest.class.getClassLoader(),
            new Class<?>[] { Device.class }, (_, _, _) -> attributes());
    private static final CompletionQueue FIRST = queue();
    private static final CompletionQueue SECOND = queue();

    @Test
    void shouldAskForNoMoreInlineThanTheDeviceHas() {
        assertEquals(64, QueuePairAttributes.of(FIRST).inlineLength());
        mostInline = 8;
        assertEquals(8, QueuePairAttributes.of(FIRST).inlineLength());
    }

    @Test
    void shouldStartFromTheUsualNumbers() {
        QueuePairAttributes usual = QueuePairAttributes.of(FIRST);
        assertSame(FIRST, usual.sendQueue());
        assertSame(FIRST, usual.receiveQueue());
        check(usual, 128, 128, 1, 1, 64);
        assertFalse(usual.signalAll());
        assertNull(usual.sharedReceiveQueue());
        assertNull(usual.attachment());
        assertSame(SECOND, QueuePairAttributes.of(FIRST, SECOND).receiveQueue());
    }

    @Test
    void shouldChangeOneThingAndKeepTheRest() {
        QueuePairAttributes all = QueuePairAttributes.of(FIRST, SECOND).withDepths(3, 4).withElements(5, 6).withInline(7)
                .withSignalAll(true);
        check(all, 3, 4, 5, 6, 7);
        assertTrue(all.signalAll());
        assertSame(SECOND, all.receiveQueue());
        assertTrue(all.withDepths(1, 1).signalAll());
        assertFalse(all.withSignalAll(false).signalAll());
        Object attachment = new Object();
        assertSame(attachment, all.withAttachment(attachment).withInline(1).withDepths(1, 1).withElements(1, 1).withSignalAll(false)
                .withSharedReceiveQueue(null).attachment());
        check(all.withInline(0), 3, 4, 5, 6, 0);
        assertEquals(all, all.withInline(0).withInline(7));
        assertNotEquals(all, all.withInline(0));
    }

    private static void check(QueuePairAttributes attributes, int sends, int receives, int sendElements, int receiveElements, int inline) {
        assertEquals(sends, attributes.sendDepth());
        assertEquals(receives, attributes.receiveDepth());
        assertEquals(sendElements, attributes.sendElements());
        assertEquals(receiveElements, attributes.receiveElements());
        assertEquals(inline, attributes.inlineLength());
    }

    @Test
    void shouldRefuseNumbersThatMakeNoSense() {
        QueuePairAttributes usual = QueuePairAttributes.of(FIRST);
        refuses("sendDepth", () -> usual.withDepths(0, 1));
        refuses("receiveDepth", () -> usual.withDepths(1, 0));
        refuses("sendElements", () -> usual.withElements(0, 1));
        refuses("receiveElements", () -> usual.withElements(1, -1));
        refuses("inlineLength", () -> usual.withInline(-1));
        assertThrows(NullPointerException.class, () -> QueuePairAttributes.of(null));
        assertThrows(NullPointerException.class, () -> QueuePairAttributes.of(FIRST, null));
    }

    private static void refuses(String name, Executable change) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, change);
        assertTrue(refused.getMessage().contains(name), refused.getMessage());
    }

    @BeforeEach
    void usualInline() {
        mostInline = 256;
    }

    private static DeviceAttributes attributes() {
        return new DeviceAttributes() {
            @Override
            public Transport transport() {
                return Transport.OTHER;
            }

            @Override
            public int maximumInline() {
                return mostInline;
            }
        };
    }

    private static CompletionQueue queue() {
        return new CompletionQueue() {
            @Override
            public Device device() {
                return DEVICE;
            }

            @Override
            public int capacity() {
                return 1;
            }

            @Override
            public int poll(Completions into) {
                return 0;
            }

            @Override
            public int await(Completions into, Duration timeout) {
                return 0;
            }

            @Override
            public Completion take(Duration timeout) {
                throw new AssertionError("not asked for");
            }

            @Override
            public void wakeup() {
            }

            @Override
            public void requestNotification(boolean solicitedOnly) {
            }

            @Override
            public void close() {
            }
        };
    }
}
