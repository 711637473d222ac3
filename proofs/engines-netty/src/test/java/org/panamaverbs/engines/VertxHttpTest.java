package org.panamaverbs.engines;

import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.tests.http.Http1xTest;
import org.junit.Test;

/** Vert.x's own tests of HTTP, with those of version 1. */
public class VertxHttpTest extends Http1xTest {
    private static final String NO_RESOLVER = "vertx.disableDnsResolver";

    @Override
    protected VertxBuilder createVertxBuilder(VertxOptions options) {
        return super.createVertxBuilder(options).withTransport(new VerbsTransport(Loops.device()));
    }

    /** It clears a property that all these tests need. */
    @Override
    @Test
    public void testClientSynchronousConnectFailures() {
        try {
            super.testClientSynchronousConnectFailures();
        } finally {
            System.setProperty(NO_RESOLVER, "true");
        }
    }

    /** Left out: it connects to a server in the Internet. */
    @Override
    public void requestAbsNoPort() {
        // Not run.
    }

    /** Left out: it asks a name server, and event loops of verbs have no datagrams. */
    @Override
    public void testDnsClientSideLoadBalancingDisabled() {
        // Not run.
    }

    /** Left out, as the one before. */
    @Override
    public void testDnsClientSideLoadBalancingEnabled() {
        // Not run.
    }
}
