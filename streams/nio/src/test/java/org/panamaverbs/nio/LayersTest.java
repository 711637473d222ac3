package org.panamaverbs.nio;

import org.panamaverbs.testing.layers.ClassLayers;
import org.panamaverbs.testing.layers.ClassLayersTestCase;

/** The layers of the channels, from the bottom to the top. The arrows that run up stay until the streams are rebuilt; no new one comes. */
class LayersTest extends ClassLayersTestCase {
    private static final ClassLayers LAYERS = new ClassLayers("org.panamaverbs.nio")
            .layer("settings, counters, and the JDK's provider", "NamedAddresses", "NioSettings", "NioCounters", "JdkProvider")
            .layer("parts of a channel that know no channel", "OptionValues", "SocketFailures", "SendBuffer", "BlockingLock",
                    "SelectedKeys")
            .layer("the verbs of a provider", "NioVerbs")
            .layer("selectors and keys", "SelectedChannel", "VerbsSelectionKey", "VerbsSelector")
            .layer("the stream of a channel", "StreamLink")
            .layer("the connection, the bytes and the sockets of a channel", "ChannelConnection", "ChannelSocket", "ChannelBytes",
                    "ChannelServerSocket")
            .layer("channels", "VerbsSocketChannel", "VerbsServerSocketChannel")
            .layer("the provider and the agent", "VerbsSelectorProvider", "NioAgent")
            .upward("NioVerbs -> StreamLink", "it waits for closed links whose bytes still go out when the JVM ends")
            .upward("NioVerbs -> VerbsSelectorProvider", "its log has the name of the public class")
            .upward("SelectedChannel -> VerbsSelectionKey", "a channel gets the key by which a selector has it")
            .upward("VerbsSelectionKey -> VerbsSelector", "a key names its selector, and notes there what may be ready")
            .upward("VerbsSelector -> VerbsSelectorProvider", "it asks the provider for the verbs and for the JDK's provider")
            .upward("ChannelConnection -> VerbsSelectorProvider", "it asks the provider for the verbs and for the JDK's provider")
            .upward("ChannelConnection -> VerbsSocketChannel", "it asks its channel whether it is open and blocking, and carries its keys")
            .upward("ChannelSocket -> VerbsSocketChannel", "a socket is its channel in another form")
            .upward("ChannelBytes -> VerbsSocketChannel", "it asks its channel for the stream, the carrier and the mode")
            .upward("ChannelServerSocket -> VerbsServerSocketChannel", "a socket is its channel in another form")
            .upward("VerbsSocketChannel -> VerbsSelectorProvider", "a channel names its provider")
            .upward("VerbsServerSocketChannel -> VerbsSelectorProvider", "a channel names its provider");

    LayersTest() {
        super(LAYERS);
    }
}
