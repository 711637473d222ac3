package org.panamaverbs.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class ConnectionParametersTest {
    @Test
    void shouldStartFromTheUsualNumbers() {
        ConnectionParameters usual = ConnectionParameters.defaults();
        assertEquals(0, usual.privateData().length);
        assertEquals(16, usual.inboundReads());
        assertEquals(16, usual.outboundReads());
    }

    @Test
    void shouldChangeOneThingAndKeepTheRest() {
        ConnectionParameters changed = ConnectionParameters.defaults().withReads(1, 0).withPrivateData(new byte[] { 7 });
        assertEquals(1, changed.inboundReads());
        assertEquals(0, changed.outboundReads());
        assertArrayEquals(new byte[] { 7 }, changed.withReads(2, 2).privateData());
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
}
