package org.panamaverbs.netty;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;

/** A channel, as its event loop sees it. Streams tell their channels themselves: no event comes this way. */
interface VerbsIoHandle extends IoHandle {
    @Override
    void close();

    @Override
    default void handle(IoRegistration registration, IoEvent event) {
        // There is none.
    }
}
