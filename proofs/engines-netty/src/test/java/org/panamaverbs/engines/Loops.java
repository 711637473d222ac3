package org.panamaverbs.engines;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.netty.VerbsIoHandler;

/** The device of all tests in this JVM, and event loops for it. The properties engines.provider and engines.transport choose it. */
final class Loops {
    private static final int COUNT = 2;
    private static final Verbs VERBS = open();
    private static final EventLoopGroup GROUP = new MultiThreadIoEventLoopGroup(COUNT, VerbsIoHandler.newFactory(VERBS.device()));

    private Loops() {
    }

    private static Verbs open() {
        Configuration.Builder configuration = Configuration.builder().set("panamaverbs.provider",
                System.getProperty("engines.provider", "soft-iwarp"));
        String transport = System.getProperty("engines.transport", "");
        if (!transport.isEmpty()) {
            configuration.set("panamaverbs.softiwarp.transport", transport);
        }
        return Verbs.open(configuration.build());
    }

    static Device device() {
        return VERBS.device();
    }

    static EventLoopGroup group() {
        return GROUP;
    }
}
