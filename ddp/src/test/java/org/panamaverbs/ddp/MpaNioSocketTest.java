package org.panamaverbs.ddp;

/** RFC 5041 over MPA, over NIO instead of epoll. */
class MpaNioSocketTest extends StreamSocketTestCase {
    MpaNioSocketTest() {
        super(DdpTransport.MPA, "nio");
    }

    @Override
    boolean endsOnAnUnknownStag() {
        return true;
    }
}
