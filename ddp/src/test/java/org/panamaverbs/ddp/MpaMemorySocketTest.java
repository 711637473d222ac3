package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.panamaverbs.UnsupportedVerbException;

/** RFC 5041 over MPA, inside the process: the setting of soft-iwarp holds for sockets, too. */
class MpaMemorySocketTest extends StreamSocketTestCase {
    MpaMemorySocketTest() {
        super(DdpTransport.MPA, "memory");
    }

    @Override
    boolean endsOnAnUnknownStag() {
        return true;
    }

    @Test
    void shouldHaveNoDatagrams() {
        InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        assertThrows(UnsupportedVerbException.class, () -> context.bind(group, local, DdpOptions.DEFAULT));
    }
}
