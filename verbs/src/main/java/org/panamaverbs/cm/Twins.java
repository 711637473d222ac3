package org.panamaverbs.cm;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.panamaverbs.spi.support.Workers;

/** Asynchronous twins of methods that wait: a thread waits for the program. */
final class Twins {
    private Twins() {
    }

    static <T> CompletionStage<T> of(Supplier<T> wait) {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        try {
            Workers.execute(() -> {
                try {
                    outcome.complete(wait.get());
                } catch (RuntimeException | Error e) {
                    outcome.completeExceptionally(e);
                }
            });
        } catch (RuntimeException | Error e) {
            outcome.completeExceptionally(e);
        }
        return outcome.minimalCompletionStage();
    }
}
