package org.panamaverbs.netty;

import org.panamaverbs.testing.layers.ClassLayers;
import org.panamaverbs.testing.layers.ClassLayersTestCase;

/** The layers of the transport, from the bottom to the top. */
class LayersTest extends ClassLayersTestCase {
    private static final ClassLayers LAYERS = new ClassLayers("org.panamaverbs.netty")
            .layer("memory that is sent without a copy", "NativeMemory", "VerbsByteBufAllocator", "DirectSends")
            .layer("event loops", "VerbsIoHandle", "VerbsIoHandler")
            .layer("the options and the parts of a channel", "VerbsChannelConfig", "ChannelState", "ChannelLife", "ChannelInput",
                    "ChannelOutput")
            .layer("channels", "VerbsSocketChannel", "VerbsServerChannelConfig", "VerbsServerSocketChannel")
            .layer("the choice of a transport", "NettyTransport", "DeclaredTransport");

    LayersTest() {
        super(LAYERS, "docs/reference/layers.md");
    }
}
