package org.panamaverbs.nio;

import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that run on the JDK's provider, on ours with TCP below, and over each transport, with the same results. */
@ParameterizedClass
@ValueSource(strings = { Providers.JDK, Providers.TCP, "shared-memory", "epoll", "memory" })
@Timeout(value = 60, unit = TimeUnit.SECONDS)
abstract class EachProvider {
    SelectorProvider provider;

    @Parameter
    private String name;

    @BeforeEach
    void choose() {
        provider = Providers.of(name);
    }
}
