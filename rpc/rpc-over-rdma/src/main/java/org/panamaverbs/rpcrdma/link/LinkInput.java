package org.panamaverbs.rpcrdma.link;

import java.util.function.Supplier;
import org.panamaverbs.Completions;
import org.panamaverbs.rpcrdma.endpoint.Endpoint;

/** The inbound part of a link: its receives, whose messages the endpoint gets. The reactor's leader alone uses it. */
final class LinkInput {
    private final LinkLife life;
    private final LinkPort port;
    private final MessageMemory messages;
    private final Supplier<Endpoint> endpoint;

    LinkInput(LinkLife life, LinkPort port, MessageMemory messages, Supplier<Endpoint> endpoint) {
        this.life = life;
        this.port = port;
        this.messages = messages;
        this.endpoint = endpoint;
    }

    /** A receive is complete. Those of an ended link may come after its memory was given back. The leader alone ends it. */
    void onCompletion(Completions completion) {
        if (completion.isSuccess() && !life.state().hasEnded() && port.isConnected()) {
            int index = (int) completion.id();
            boolean invalidated = completion.hasInvalidatedKey();
            endpoint.get().onReceive(messages.receive(index), completion.byteLength(), invalidated,
                    invalidated ? completion.invalidatedKey() : 0);
            port.postReceive(index);
        }
    }
}
