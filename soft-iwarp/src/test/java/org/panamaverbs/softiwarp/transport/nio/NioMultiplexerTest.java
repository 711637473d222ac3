package org.panamaverbs.softiwarp.transport.nio;

import org.panamaverbs.softiwarp.transport.BaseMultiplexerTestCase;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/** The portable transport: the contract. */
class NioMultiplexerTest extends BaseMultiplexerTestCase {
    @Override
    protected Multiplexer open() {
        return new NioMultiplexer();
    }
}
