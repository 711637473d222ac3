package org.panamaverbs.engines;

import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.tests.net.NetTest;

/** Vert.x's own tests of its TCP clients and servers. */
public class VertxNetTest extends NetTest {
    @Override
    protected VertxBuilder createVertxBuilder(VertxOptions options) {
        return super.createVertxBuilder(options).withTransport(new VerbsTransport(Loops.device()));
    }
}
