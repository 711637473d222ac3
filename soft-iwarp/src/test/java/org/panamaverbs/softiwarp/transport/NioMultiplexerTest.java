package org.panamaverbs.softiwarp.transport;

/** The portable transport: the contract. */
class NioMultiplexerTest extends BaseMultiplexerTestCase {
    @Override
    Multiplexer open() {
        return new NioMultiplexer();
    }
}
