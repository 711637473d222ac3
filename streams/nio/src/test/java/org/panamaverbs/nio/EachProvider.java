package org.panamaverbs.nio;

import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.testing.Proofs;

/** Tests that run on the JDK's provider, on ours with TCP below, and over each transport, with the same results. */
@ParameterizedClass
@MethodSource("names")
abstract class EachProvider {
    static List<String> names() {
        return Proofs.run() ? List.of("epoll", Providers.JDK, Providers.TCP, "shared-memory") : List.of("epoll", Providers.JDK);
    }

    SelectorProvider provider;

    @Parameter
    private String name;

    @BeforeEach
    void choose() {
        provider = Providers.of(name);
    }
}
