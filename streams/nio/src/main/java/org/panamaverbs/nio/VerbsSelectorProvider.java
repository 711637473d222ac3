package org.panamaverbs.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Configuration;

/**
 * The provider. A JVM has one, which is made when the first channel or selector is opened; verbs are opened when the first channel goes over
 * verbs. Its counters tell how many channels did.
 *
 * @see NioAgent
 */
public final class VerbsSelectorProvider extends SelectorProvider {
    private final SelectorProvider jdk;
    private final Resources resources;

    /**
     * For {@link SelectorProvider#provider()}, with the settings of {@link Configuration#load()}.
     *
     * @throws IllegalStateException    if the JDK's own provider is out of reach; the message names the agent
     * @throws IllegalArgumentException if a setting has a value that it does not take
     */
    public VerbsSelectorProvider() {
        this(Configuration.load());
    }

    /**
     * With a program's own settings, for a program that opens channels by this object.
     *
     * @param configuration of the addresses and of the devices
     * @throws IllegalStateException if the JDK's own provider is out of reach; the message names the agent
     */
    public VerbsSelectorProvider(Configuration configuration) {
        resources = Resources.of(this, configuration);
        jdk = resources.jdk();
    }

    /** {@return the connections and bytes so far} */
    public NioCounters counters() {
        return resources.verbs().counters();
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        return new VerbsSelector(resources);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return new VerbsSocketChannel(resources, jdk.openSocketChannel(), StandardProtocolFamily.INET6);
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        SocketChannel channel = jdk.openSocketChannel(Objects.requireNonNull(family));
        return family == StandardProtocolFamily.UNIX ? channel : new VerbsSocketChannel(resources, channel, family);
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return new VerbsServerSocketChannel(resources, jdk.openServerSocketChannel(), StandardProtocolFamily.INET6);
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        ServerSocketChannel channel = jdk.openServerSocketChannel(Objects.requireNonNull(family));
        return family == StandardProtocolFamily.UNIX ? channel : new VerbsServerSocketChannel(resources, channel, family);
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return jdk.openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return jdk.openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
        return jdk.openPipe();
    }

    @Override
    public @Nullable Channel inheritedChannel() throws IOException {
        return jdk.inheritedChannel();
    }
}
