package org.panamaverbs.nio;

import org.panamaverbs.testing.layers.ClassLayers;
import org.panamaverbs.testing.layers.ClassLayersTestCase;

/** The layers of the channels, from the bottom to the top. */
class LayersTest extends ClassLayersTestCase {
    private static final ClassLayers LAYERS = new ClassLayers("org.panamaverbs.nio")
            .layer("settings, counters, and the JDK's provider", "NamedAddresses", "NioSettings", "NioCounters", "JdkProvider")
            .layer("parts of a channel that know no channel", "OptionValues", "SocketFailures", "TransferLocks", "SelectedKeys")
            .layer("what the channels of a provider share", "NioVerbs", "Resources")
            .layer("selectors and keys", "VerbsSelectionKey", "SelectedChannel", "ChannelKeys", "CandidateKeys", "VerbsSelector")
            .layer("the stream of a channel", "StreamLink")
            .layer("what carries a socket channel", "Carrier", "CarriedChannel", "JdkCarrier", "StreamCarrier")
            .layer("socket channels", "ChannelConnection", "ChannelSocket", "VerbsSocketChannel").layer("servers' channels",
                    "ServingChannel", "ServerCarrier", "JdkServer", "VerbsServer", "ChannelServerSocket", "VerbsServerSocketChannel")
            .layer("the provider and the agent", "VerbsSelectorProvider", "NioAgent");

    LayersTest() {
        super(LAYERS, "docs/reference/layers.md");
    }
}
