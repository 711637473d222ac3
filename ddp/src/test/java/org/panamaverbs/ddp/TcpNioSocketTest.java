package org.panamaverbs.ddp;

/** DDPP core over TCP, over NIO instead of epoll. */
class TcpNioSocketTest extends StreamSocketTestCase {
    TcpNioSocketTest() {
        super(DdpTransport.TCP, "nio");
    }
}
