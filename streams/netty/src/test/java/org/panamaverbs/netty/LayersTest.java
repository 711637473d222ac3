package org.panamaverbs.netty;

import org.panamaverbs.testing.layers.ClassLayers;
import org.panamaverbs.testing.layers.ClassLayersTestCase;

/** The layers of the transport, from the bottom to the top. The arrows that run up stay until the streams are rebuilt; no new one comes. */
class LayersTest extends ClassLayersTestCase {
    private static final ClassLayers LAYERS = new ClassLayers("org.panamaverbs.netty")
            .layer("memory that is sent without a copy", "NativeMemory", "VerbsByteBufAllocator", "DirectSends")
            .layer("event loops", "VerbsIoHandle", "VerbsIoHandler")
            .layer("channels and their options", "VerbsChannelConfig", "VerbsSocketChannel", "VerbsServerChannelConfig",
                    "VerbsServerSocketChannel")
            .layer("the choice of a transport", "NettyTransport", "DeclaredTransport")
            .upward("VerbsChannelConfig -> VerbsSocketChannel", "it ends a read when the program clears AUTO_READ")
            .upward("VerbsServerChannelConfig -> VerbsServerSocketChannel", "it is made for such a channel, and asks whether it is open");

    LayersTest() {
        super(LAYERS);
    }
}
