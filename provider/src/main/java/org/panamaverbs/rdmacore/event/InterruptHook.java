package org.panamaverbs.rdmacore.event;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Set;

/**
 * Ends a wait in a native call when its thread is interrupted. {@link Thread#interrupt} itself does not end such a call, but it wakes the
 * {@linkplain AbstractSelector#begin selector} that the thread has announced. So this is a selector, by its type alone: it selects nothing.
 */
final class InterruptHook extends AbstractSelector {
    private final Runnable wakeUp;

    /**
     * @param wakeUp ends the native call; any thread may run it, also after {@link #leave}
     */
    InterruptHook(Runnable wakeUp) {
        super(null);
        this.wakeUp = wakeUp;
    }

    /** The calling thread enters the native call; an interrupt before or after this ends the call. */
    void enter() {
        begin();
    }

    /** The calling thread has left the call. */
    void leave() {
        end();
    }

    @Override
    public Selector wakeup() {
        wakeUp.run();
        return this;
    }

    @Override
    protected void implCloseSelector() {
        // It holds nothing.
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SelectionKey> keys() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int selectNow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select(long timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select() {
        throw new UnsupportedOperationException();
    }
}
