package org.panamaverbs.softiwarp.transport.shared;

import org.panamaverbs.softiwarp.transport.BaseMultiplexerTestCase;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;

/** Shared memory: the contract of every transport. */
class SharedMultiplexerTest extends BaseMultiplexerTestCase {
    @Override
    protected Multiplexer open() {
        return new SharedMultiplexer(new EpollMultiplexer(), true);
    }
}
