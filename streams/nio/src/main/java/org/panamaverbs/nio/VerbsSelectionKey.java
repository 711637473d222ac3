package org.panamaverbs.nio;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.spi.AbstractSelectionKey;
import java.util.concurrent.atomic.AtomicBoolean;

/** The key of a channel. If a channel of the JDK carries that channel, the key stands before a key of the JDK's selector. */
// Tested by ChannelRulesTest.
final class VerbsSelectionKey extends AbstractSelectionKey {
    private final VerbsSelector selector;
    private final SelectableChannel channel;
    private volatile int interest;
    private volatile int ready;
    /** The key of the JDK; {@code null} if the channel goes over verbs, or is not decided yet. */
    private volatile SelectionKey inner;
    /** It waits to be looked at. */
    private final AtomicBoolean noted = new AtomicBoolean();

    // Of the thread that selects.
    /** It is among those that may be ready. */
    private boolean candidate;
    private int innerReady;

    VerbsSelectionKey(VerbsSelector selector, SelectableChannel channel) {
        this.selector = selector;
        this.channel = channel;
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    /** Its cancel(), which is final, asks for the selector once the key is no longer valid: the key of the JDK ends with it. */
    @Override
    public VerbsSelector selector() {
        SelectionKey carried = inner;
        if (carried != null && !isValid()) {
            carried.cancel();
        }
        return selector;
    }

    private void checkValid() {
        if (!isValid()) {
            throw new CancelledKeyException();
        }
    }

    @Override
    public int interestOps() {
        checkValid();
        return interest;
    }

    @Override
    public SelectionKey interestOps(int ops) {
        checkValid();
        if ((ops & ~channel.validOps()) != 0) {
            throw new IllegalArgumentException("operations " + ops + ", of which the channel has " + channel.validOps());
        }
        setInterest(ops);
        return this;
    }

    private synchronized void setInterest(int ops) {
        interest = ops;
        SelectionKey carried = inner;
        if (carried != null && carried.isValid()) {
            carried.interestOps(ops);
        }
        selector.note(this);
    }

    @Override
    public int readyOps() {
        checkValid();
        return ready;
    }

    /** A channel of the JDK carries the channel from now on; it is in non-blocking mode. */
    synchronized void carryBy(SelectableChannel carrier) throws IOException {
        if (isValid() && selector.isOpen()) {
            inner = selector.registerInner(carrier, interest, this);
        }
    }

    /** {@return whether a channel of the JDK carried it, until now} */
    synchronized boolean carryNoMore() {
        SelectionKey last = inner;
        inner = null;
        if (last != null) {
            last.cancel();
        }
        return last != null;
    }

    // For the selector.

    /** {@return whether it was not noted before} */
    boolean note() {
        return noted.compareAndSet(false, true);
    }

    /** The thread that selects looks at it now; a later change notes it again. */
    void unnote() {
        noted.set(false);
    }

    boolean becomesCandidate() {
        boolean isNew = !candidate;
        candidate = true;
        return isNew;
    }

    void noCandidate() {
        candidate = false;
    }

    void innerReady(int ops) {
        innerReady |= ops;
    }

    /** {@return the operations of its interest that the channel is ready for} */
    int found() {
        if (!channel.isOpen()) {
            // Its close cancels this key in a moment.
            return 0;
        }
        int ops = innerReady;
        if (ops == 0 && inner == null && channel instanceof SelectedChannel ours) {
            ops = ours.readyOps();
        }
        return ops & interest;
    }

    /**
     * It is ready for these.
     *
     * @param isSelected whether the program has not taken it out of the selected keys
     * @return whether that is new
     */
    boolean publish(int found, boolean isSelected) {
        innerReady = 0;
        int before = isSelected ? ready : 0;
        ready = before | found;
        return !isSelected || ready != before;
    }
}
