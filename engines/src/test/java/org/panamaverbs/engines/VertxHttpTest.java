package org.panamaverbs.engines;

import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.tests.http.Http1xTest;

/** Vert.x's own tests of HTTP, with those of version 1. */
public class VertxHttpTest extends Http1xTest {
    @Override
    protected VertxBuilder createVertxBuilder(VertxOptions options) {
        return super.createVertxBuilder(options).withTransport(new VerbsTransport(Loops.device()));
    }
}
