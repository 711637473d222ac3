package org.panamaverbs.nio;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectionKey;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Device;
import org.panamaverbs.sockets.SocketLoop;

/** The key of a channel. If a channel of the JDK carries that channel, the key stands before a key of the JDK's selector. */
// Tested by ChannelRulesTest.
final class VerbsSelectionKey extends AbstractSelectionKey {
    private final Owner owner;
    private final SelectableChannel channel;
    private final IntSupplier readiness;
    private volatile int interest;
    private volatile int ready;
    /** The key of the JDK; {@code null} if the channel goes over verbs, or is not decided yet. */
    private volatile @Nullable SelectionKey inner;
    /** The selector has it in its list of keys to look at. */
    private final AtomicBoolean pending = new AtomicBoolean();

    // Of the thread that selects.
    /** It is among those that may be ready. */
    private boolean candidate;
    private int innerReady;

    /** @param readiness the operations that the channel is ready for over verbs; 0 if a channel of the JDK carries it */
    VerbsSelectionKey(Owner owner, SelectableChannel channel, IntSupplier readiness) {
        this.owner = owner;
        this.channel = channel;
        this.readiness = readiness;
    }

    /** The selector. */
    interface Owner {
        Selector selector();

        /** A key may have become ready. */
        void mayBeReady(VerbsSelectionKey key);

        /** A channel over verbs has changed; see {@link ChannelKeys#changed(SocketLoop)}. */
        void changed(VerbsSelectionKey key, @Nullable SocketLoop by);

        SelectionKey registerInner(SelectableChannel carrier, int ops, VerbsSelectionKey key) throws IOException;

        /** {@return the loop for a stream of this selector's channels} */
        SocketLoop loop(Device device);
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    /** Its cancel(), which is final, asks for the selector once the key is no longer valid: the key of the JDK ends with it. */
    @Override
    public Selector selector() {
        SelectionKey carried = inner;
        if (carried != null && !isValid()) {
            carried.cancel();
        }
        return owner.selector();
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
        owner.mayBeReady(this);
    }

    @Override
    public int readyOps() {
        checkValid();
        return ready;
    }

    /** A channel of the JDK carries the channel from now on; it is in non-blocking mode. */
    synchronized void carryBy(SelectableChannel carrier) {
        if (inner == null && isValid() && owner.selector().isOpen()) {
            try {
                inner = owner.registerInner(carrier, interest, this);
            } catch (IOException e) {
                // With the carrier the channel is closed.
            }
        }
    }

    /** {@return whether a channel of the JDK carried the channel} */
    synchronized boolean detach() {
        SelectionKey last = inner;
        inner = null;
        if (last != null) {
            last.cancel();
        }
        return last != null;
    }

    // For the channel.

    void changed(@Nullable SocketLoop by) {
        owner.changed(this, by);
    }

    SocketLoop loop(Device device) {
        return owner.loop(device);
    }

    // For the selector.

    /** {@return whether it was not pending before} */
    boolean setPending() {
        return pending.compareAndSet(false, true);
    }

    /** The thread that selects looks at it; a later change makes it pending again. */
    void clearPending() {
        pending.set(false);
    }

    boolean becomesCandidate() {
        boolean isNew = !candidate;
        candidate = true;
        return isNew;
    }

    void noCandidate() {
        candidate = false;
        innerReady = 0;
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
        if (ops == 0 && inner == null) {
            ops = readiness.getAsInt();
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
