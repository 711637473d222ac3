package org.panamaverbs.cm;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Asynchronous twins of methods that wait: a virtual thread waits for the program. */
final class Twins {
    private Twins() {
    }

    static <T> CompletionStage<T> of(String name, Supplier<T> wait) {
        return CompletableFuture.supplyAsync(wait, task -> Thread.ofVirtual().name(name).start(task)).minimalCompletionStage();
    }
}
