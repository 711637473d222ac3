package org.panamaverbs.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.Transport;

final class ConnectionParametersTest {
    @Test
    void shouldStartFromTheUsualNumbers() {
        ConnectionParameters usual = ConnectionParameters.defaults();
        assertEquals(0, usual.privateData().length);
        assertEquals(ConnectionParameters.AS_DEVICE, usual.inboundReads());
        assertEquals(ConnectionParameters.AS_DEVICE, usual.outboundReads());
        assertEquals(7, usual.retries());
        assertEquals(ConnectionParameters.FOREVER, usual.receiverNotReadyRetries());
        assertEquals(Duration.ofMillis(1), usual.receiverNotReadyDelay());
        assertTrue(usual.acknowledgementTimeout().isEmpty());
    }

    @Test
    void shouldFitEveryDevice() {
        assertEquals(16, ConnectionParameters.defaults().fitting(device(128, 128)).inboundReads());
        ConnectionParameters few = ConnectionParameters.defaults().withRetries(1, 0).fitting(device(0, 3));
        assertEquals(0, few.inboundReads());
        assertEquals(3, few.outboundReads());
        assertEquals(1, few.retries());
        assertEquals(0, few.receiverNotReadyRetries());
    }

    @Test
    void shouldRefuseMoreThanTheDeviceHas() {
        DeviceAttributes device = device(4, 5);
        assertEquals(5, ConnectionParameters.defaults().withReads(4, 5).fitting(device).outboundReads());
        assertThrows(IllegalArgumentException.class, () -> ConnectionParameters.defaults().withReads(5, 5).fitting(device));
        assertThrows(IllegalArgumentException.class, () -> ConnectionParameters.defaults().withReads(4, 6).fitting(device));
        assertThrows(IllegalArgumentException.class, () -> ConnectionParameters.defaults().withPrivateData(new byte[57]).fitting(device));
        assertThrows(IllegalArgumentException.class, () -> ConnectionParameters.defaults().withRetries(8, 0));
        assertThrows(IllegalArgumentException.class, () -> ConnectionParameters.defaults().withRetries(0, -1));
    }

    private static DeviceAttributes device(int inbound, int outbound) {
        return new DeviceAttributes() {
            @Override
            public Transport transport() {
                return Transport.OTHER;
            }

            @Override
            public int maximumInboundReads() {
                return inbound;
            }

            @Override
            public int maximumOutboundReads() {
                return outbound;
            }

            @Override
            public int maximumPrivateData() {
                return 56;
            }
        };
    }

    @Test
    void shouldChangeOneThingAndKeepTheRest() {
        ConnectionParameters changed = ConnectionParameters.defaults().withReads(1, 0).withPrivateData(new byte[] { 7 });
        assertEquals(1, changed.inboundReads());
        assertEquals(0, changed.outboundReads());
        assertArrayEquals(new byte[] { 7 }, changed.withReads(2, 2).privateData());
        ConnectionParameters impatient = changed.withAcknowledgementTimeout(Duration.ofMillis(1)).withRetries(2, 3);
        assertEquals(Optional.of(Duration.ofMillis(1)), impatient.withReads(3, 3).withPrivateData(new byte[1]).acknowledgementTimeout());
        assertEquals(1, impatient.inboundReads());
        assertEquals(2, impatient.retries());
        ConnectionParameters delayed = impatient.withReceiverNotReadyDelay(Duration.ofMillis(2));
        assertEquals(Optional.of(Duration.ofMillis(1)), delayed.acknowledgementTimeout());
        for (ConnectionParameters each : List.of(delayed, delayed.withPrivateData(new byte[1]), delayed.withReads(3, 3),
                delayed.withRetries(1, 1), delayed.withAcknowledgementTimeout(Duration.ofMillis(1)), delayed.fitting(device(4, 4)))) {
            assertEquals(Duration.ofMillis(2), each.receiverNotReadyDelay());
        }
    }

    @Test
    void shouldCompareByTheirValues() {
        ConnectionParameters one = ConnectionParameters.defaults().withPrivateData(new byte[] { 1, 2 });
        ConnectionParameters same = ConnectionParameters.defaults().withPrivateData(new byte[] { 1, 2 });
        assertEquals(one, same);
        assertEquals(one.hashCode(), same.hashCode());
        assertNotEquals(one, one.withPrivateData(new byte[] { 1, 3 }));
        assertNotEquals(one, one.withReads(1, 1));
        assertNotEquals(one, one.withReceiverNotReadyDelay(Duration.ofMillis(2)));
    }

    @Test
    void shouldCopyPrivateDataInAndOut() {
        byte[] data = { 1, 2, 3 };
        ConnectionParameters parameters = ConnectionParameters.defaults().withPrivateData(data);
        data[0] = 9;
        parameters.privateData()[1] = 9;
        assertArrayEquals(new byte[] { 1, 2, 3 }, parameters.privateData());
        RejectedException rejected = new RejectedException("no", data);
        data[1] = 8;
        rejected.privateData()[2] = 8;
        assertArrayEquals(new byte[] { 9, 2, 3 }, rejected.privateData());
    }

    @Test
    void shouldRefuseNumbersThatMakeNoSense() {
        assertThrows(IllegalArgumentException.class, () -> ConnectionParameters.defaults().withReads(-1, 0));
        assertThrows(IllegalArgumentException.class, () -> ConnectionParameters.defaults().withReads(0, -1));
        assertThrows(NullPointerException.class, () -> ConnectionParameters.defaults().withPrivateData(null));
    }

    @Test
    void shouldRefuseDelaysThatNoDeviceHas() {
        ConnectionParameters usual = ConnectionParameters.defaults();
        Duration longest = ConnectionParameters.LONGEST_RECEIVER_NOT_READY_DELAY;
        assertEquals(longest, usual.withReceiverNotReadyDelay(longest).receiverNotReadyDelay());
        assertThrows(IllegalArgumentException.class, () -> usual.withReceiverNotReadyDelay(longest.plusNanos(1)));
        assertThrows(IllegalArgumentException.class, () -> usual.withReceiverNotReadyDelay(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> usual.withReceiverNotReadyDelay(Duration.ofNanos(-1)));
    }

    @Test
    void shouldRefuseAcknowledgementTimeoutsThatNoDeviceHas() {
        ConnectionParameters usual = ConnectionParameters.defaults();
        Duration longest = ConnectionParameters.LONGEST_ACKNOWLEDGEMENT_TIMEOUT;
        assertEquals(Optional.of(longest), usual.withAcknowledgementTimeout(longest).acknowledgementTimeout());
        assertThrows(IllegalArgumentException.class, () -> usual.withAcknowledgementTimeout(longest.plusNanos(1)));
        assertThrows(IllegalArgumentException.class, () -> usual.withAcknowledgementTimeout(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> usual.withAcknowledgementTimeout(Duration.ofNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> usual.withAcknowledgementTimeout(Duration.ofSeconds(Long.MAX_VALUE)));
    }

    @Test
    void shouldTellDepthsOfARejectOnlyIfThePeerSaidThem() {
        RejectedException silent = new RejectedException("no", new byte[0]);
        assertTrue(silent.remoteInboundReads().isEmpty() && silent.remoteOutboundReads().isEmpty());
        RejectedException told = new RejectedException("no", new byte[0], OptionalInt.of(0), OptionalInt.of(7));
        assertEquals(OptionalInt.of(0), told.remoteInboundReads());
        assertEquals(OptionalInt.of(7), told.remoteOutboundReads());
    }
}
