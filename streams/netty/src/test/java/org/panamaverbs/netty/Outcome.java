package org.panamaverbs.netty;

import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** The results of operations as words of a {@link Transcript}, which are the same in each run. */
final class Outcome {
    private static final int SECONDS = Integer.getInteger("transcript.seconds", 60);

    private Outcome() {
    }

    /** The value of a call, or its exception. */
    static String of(Callable<Object> call) {
        try {
            Object value = call.call();
            return value instanceof Future<?> future ? of(future) : String.valueOf(value);
        } catch (Exception | Error e) {
            return "throws " + name(e);
        }
    }

    static String of(Future<?> future) throws InterruptedException {
        if (!future.await(SECONDS, TimeUnit.SECONDS)) {
            return "is not answered";
        }
        return future.isCancelled() ? "is cancelled" : future.isSuccess() ? "succeeds" : "fails with " + name(future.cause());
    }

    /** Some of Netty's are private classes of their channel. */
    static String name(Throwable failure) {
        Class<?> type = failure.getClass();
        String own = type.getSimpleName();
        return type.getName().startsWith("java.") ? own : own + " (" + type.getSuperclass().getSimpleName() + ")";
    }

    /** Ports and addresses differ from run to run. */
    static String shape(SocketAddress address) {
        return address == null ? "none"
                : address instanceof InetSocketAddress inet
                        ? (inet.getAddress().isLoopbackAddress() ? "loopback" : inet.getAddress().isAnyLocalAddress() ? "any" : "other")
                                + (inet.getPort() == 0 ? ", no port" : "")
                        : address.getClass().getSimpleName();
    }

    static String shape(Object text) {
        return text.toString().replaceAll("0x[0-9a-f]+", "ID").replaceAll("(localhost)?/?127\\.0\\.0\\.1:[0-9]+", "LOOPBACK")
                .replaceAll("Nio|Verbs", "");
    }
}
