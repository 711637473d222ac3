package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;

/** What tests of stages share. */
final class Stages {
    static final Duration SOON = Duration.ofSeconds(60);
    static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private Stages() {
    }

    static Verbs open(String transport) {
        return Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", transport).build());
    }

    static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    /** {@return why a stage fails} */
    static <T extends Throwable> T failure(Class<T> type, CompletionStage<?> stage) {
        return assertInstanceOf(type, assertThrows(ExecutionException.class, () -> get(stage)).getCause());
    }

    static boolean isDone(CompletionStage<?> stage) {
        return stage.toCompletableFuture().isDone();
    }

    static ByteBuffer room(int bytes) {
        return ByteBuffer.allocate(bytes);
    }
}
