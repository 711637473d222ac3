package org.panamaverbs.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.spi.SelectorProvider;
import org.panamaverbs.Configuration;

/**
 * What the channels and selectors of one provider share.
 *
 * @param provider      the provider that programs see
 * @param jdk           the JDK's own provider
 * @param verbs         the devices
 * @param socketOptions the options of a new channel
 * @param serverOptions the options of a new server's channel
 */
record Resources(SelectorProvider provider, SelectorProvider jdk, NioVerbs verbs, OptionValues socketOptions, OptionValues serverOptions) {
    static Resources of(SelectorProvider provider, Configuration configuration) {
        SelectorProvider jdk = JdkProvider.find();
        NioVerbs verbs = new NioVerbs(configuration, provider.getClass());
        try {
            return new Resources(provider, jdk, verbs, new OptionValues(jdk::openSocketChannel),
                    new OptionValues(jdk::openServerSocketChannel));
        } catch (IOException e) {
            throw new UncheckedIOException("no socket can be opened: " + e.getMessage(), e);
        }
    }
}
