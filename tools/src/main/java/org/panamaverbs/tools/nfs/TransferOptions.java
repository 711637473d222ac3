package org.panamaverbs.tools.nfs;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of {@code get} and {@code put}. */
public final class TransferOptions {
    @Option(names = "--replace", description = "A file of that name gives way, once the new one is whole.")
    private boolean replace;

    @Option(names = "--quiet", description = "No progress bar.")
    private boolean quiet;

    @Mixin
    private ClientOptions client;

    boolean replace() {
        return replace;
    }

    boolean quiet() {
        return quiet;
    }

    ClientOptions client() {
        return client;
    }
}
