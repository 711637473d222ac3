package org.panamaverbs.cm;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Asynchronous twins of methods that wait: a virtual thread waits for the program. */
final class Twins {
    private Twins() {
    }

    static <T> CompletionStage<T> of(String name, Supplier<T> wait) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofVirtual().name(name).start(() -> {
            try {
                result.complete(wait.get());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result.minimalCompletionStage();
    }
}
