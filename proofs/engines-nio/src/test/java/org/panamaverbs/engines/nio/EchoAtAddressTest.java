package org.panamaverbs.engines.nio;

import io.netty.testsuite.transport.socket.SocketEchoTest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Netty's own test, at the address of a device: {@code -Dsuite.address=198.51.100.1}. */
public class EchoAtAddressTest extends SocketEchoTest {
    @Override
    protected SocketAddress newSocketAddress() {
        return new InetSocketAddress(System.getProperty("suite.address", "127.0.0.1"), 0);
    }
}
