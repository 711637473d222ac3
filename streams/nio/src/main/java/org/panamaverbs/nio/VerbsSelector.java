package org.panamaverbs.nio;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Device;
import org.panamaverbs.VerbsException;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.sockets.SocketLoop;

/**
 * A selector of channels over verbs and of channels of the JDK.
 *
 * <p>The thread that selects waits at one place. If all channels go over verbs, it turns the loop of their streams itself. If some are the
 * JDK's, it waits in the JDK's selector, and the loop's own thread wakes it.
 */
// Tested by ChannelRulesTest, SelectorTest.
final class VerbsSelector extends AbstractSelector implements VerbsSelectionKey.Owner {
    private static final BooleanSupplier NEVER = () -> false;
    private static final Consumer<SelectionKey> IGNORED = _ -> {
    };

    /** Where the thread that selects waits. */
    private enum Place {
        NOWHERE, LOOP, JDK
    }

    private final Resources resources;
    private final Selector jdk;
    private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
    private final Set<SelectionKey> keysSeen = Collections.unmodifiableSet(keys);
    private final Set<SelectionKey> selected = new HashSet<>();
    private final Set<SelectionKey> selectedSeen = new SelectedKeys(selected);
    private final CandidateKeys candidates = new CandidateKeys(selected);
    private final AtomicBoolean woken = new AtomicBoolean();
    /** How many keys the JDK's selector has. */
    private final AtomicInteger inner = new AtomicInteger();
    private final BooleanSupplier hasWork = () -> woken.get() || candidates.haveChanged() || inner.get() > 0;
    private final Consumer<SelectionKey> takeInner = this::takeInner;
    private volatile Place place = Place.NOWHERE;
    private volatile boolean loopFailed;

    private final Object loopLock = new Object();
    /** Guarded by {@link #loopLock}; opened for the first stream. */
    private volatile @Nullable SocketLoop loop;

    /** Guarded by this. */
    private boolean inSelect;

    VerbsSelector(Resources resources) throws IOException {
        super(resources.provider());
        this.resources = resources;
        jdk = resources.jdk().openSelector();
    }

    private void checkOpen() {
        if (!isOpen()) {
            throw new ClosedSelectorException();
        }
    }

    @Override
    public Set<SelectionKey> keys() {
        checkOpen();
        return keysSeen;
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        checkOpen();
        return selectedSeen;
    }

    // Channels.

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, @Nullable Object attachment) {
        if (!(channel instanceof SelectedChannel) && channel.provider() != resources.jdk()) {
            throw new IllegalSelectorException();
        }
        checkOpen();
        VerbsSelectionKey key = new VerbsSelectionKey(this, channel, channel instanceof SelectedChannel ours ? ours::readyOps : () -> 0);
        key.attach(attachment);
        keys.add(key);
        if (channel instanceof SelectedChannel ours) {
            ours.registered(key);
        } else {
            key.carryBy(channel);
        }
        key.interestOps(ops);
        return key;
    }

    @Override
    public Selector selector() {
        return this;
    }

    @Override
    public SelectionKey registerInner(SelectableChannel carrier, int ops, VerbsSelectionKey key) throws IOException {
        carrier.configureBlocking(false);
        SelectionKey registered = carrier.register(jdk, ops, key);
        inner.incrementAndGet();
        wake();
        return registered;
    }

    @Override
    public SocketLoop loop(Device device) {
        synchronized (loopLock) {
            SocketLoop own = loop;
            if (own == null && isOpen()) {
                own = resources.verbs().newLoop(device);
                loop = own;
                if (place == Place.JDK) {
                    // It chooses its place again.
                    jdk.wakeup();
                }
            }
            return own != null && isOpen() && own.streams().device() == device ? own : resources.verbs().loop(device);
        }
    }

    /** The thread that selects looks at the key before it waits. */
    @Override
    public void mayBeReady(VerbsSelectionKey key) {
        candidates.add(key);
    }

    @Override
    public void changed(VerbsSelectionKey key, @Nullable SocketLoop by) {
        mayBeReady(key);
        // A thread that waits for the same loop looks at the end of the turn.
        if (by == null || by != loop || place == Place.JDK) {
            wake();
        }
    }

    private void wake() {
        switch (place) {
            case JDK -> jdk.wakeup();
            case LOOP -> Objects.requireNonNull(loop).wakeup();
            case NOWHERE -> {
                // It looks before it waits.
            }
        }
    }

    @Override
    public Selector wakeup() {
        if (woken.compareAndSet(false, true)) {
            wake();
        }
        return this;
    }

    // Selection.

    /** {@return in nanoseconds; without a limit for 0} */
    private static long limit(long millis) {
        if (millis < 0) {
            throw new IllegalArgumentException("a time-out of " + millis + " ms");
        }
        return millis == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Override
    public int selectNow() throws IOException {
        return select(0, null);
    }

    @Override
    public int select() throws IOException {
        return select(Long.MAX_VALUE, null);
    }

    @Override
    public int select(long timeout) throws IOException {
        return select(limit(timeout), null);
    }

    @Override
    public int selectNow(Consumer<SelectionKey> action) throws IOException {
        return select(0, Objects.requireNonNull(action));
    }

    @Override
    public int select(Consumer<SelectionKey> action) throws IOException {
        return select(Long.MAX_VALUE, Objects.requireNonNull(action));
    }

    @Override
    public int select(Consumer<SelectionKey> action, long timeout) throws IOException {
        Objects.requireNonNull(action);
        return select(limit(timeout), action);
    }

    /** @param action gets the keys that are ready; if it is {@code null}, they become selected keys */
    private int select(long nanos, @Nullable Consumer<SelectionKey> action) throws IOException {
        synchronized (this) {
            checkOpen();
            if (inSelect) {
                throw new IllegalStateException("select in progress");
            }
            inSelect = true;
            try {
                synchronized (selectedSeen) {
                    return selectLocked(action, nanos);
                }
            } finally {
                inSelect = false;
            }
        }
    }

    private int selectLocked(@Nullable Consumer<SelectionKey> action, long nanos) throws IOException {
        removeCancelled();
        int updated;
        begin();
        try {
            updated = waitAndCollect(action, nanos);
        } finally {
            end();
        }
        removeCancelled();
        if (action == null) {
            return updated;
        }
        int count = candidates.size();
        for (int i = 0; i < count; i++) {
            action.accept(candidates.key(i));
            checkOpen();
        }
        return count;
    }

    private int waitAndCollect(@Nullable Consumer<SelectionKey> action, long nanos) throws IOException {
        long start = System.nanoTime();
        long left = nanos;
        while (true) {
            takeTurn(candidates.isAnyReady() ? 0 : left);
            int updated = candidates.collect(action != null);
            left = nanos == Long.MAX_VALUE ? nanos : Math.max(0, nanos - (System.nanoTime() - start));
            if (candidates.size() > 0 || updated > 0 || woken.get() || left == 0 || !isOpen() || Thread.currentThread().isInterrupted()) {
                woken.set(false);
                return updated;
            }
        }
    }

    /** Waits at one place, unless there is something to do. */
    private void takeTurn(long nanos) throws IOException {
        synchronized (loopLock) {
            boolean waitsInJdk = loop == null || loopFailed || inner.get() > 0;
            // From here on a change wakes this thread.
            place = waitsInJdk ? Place.JDK : Place.LOOP;
        }
        try {
            boolean atOnce = nanos == 0 || woken.get() || candidates.haveChanged() || !isOpen();
            if (place == Place.LOOP) {
                turnLoop(atOnce ? 0 : nanos);
            } else if (atOnce) {
                if (inner.get() > 0) {
                    jdk.selectNow(takeInner);
                }
            } else {
                jdk.select(takeInner, nanos == Long.MAX_VALUE ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos + 999_999)));
            }
        } finally {
            place = Place.NOWHERE;
        }
    }

    private void turnLoop(long nanos) {
        SocketLoop own = Objects.requireNonNull(loop);
        try {
            if (nanos == 0) {
                own.await(NEVER, Duration.ZERO);
            } else {
                own.await(hasWork, Duration.ofNanos(nanos));
            }
        } catch (WaitInterruptedException e) {
            // The thread's status says it.
        } catch (VerbsException e) {
            loopFailed = true;
            resources.verbs().complaints().error("the channels of device {} do not work any more", own.streams().device().name(), e);
        }
    }

    private void takeInner(SelectionKey key) {
        VerbsSelectionKey outer = (VerbsSelectionKey) key.attachment();
        outer.innerReady(key.readyOps());
        mayBeReady(outer);
    }

    private void removeCancelled() throws IOException {
        Set<SelectionKey> cancelled = cancelledKeys();
        synchronized (cancelled) {
            boolean fromJdk = false;
            for (SelectionKey key : cancelled) {
                fromJdk |= detach((VerbsSelectionKey) key);
            }
            if (fromJdk) {
                // It removes them there, before another thread may register their channels again. Its other findings are for the next
                // wait: by then the program may have taken it.
                jdk.selectNow(IGNORED);
            }
            for (SelectionKey key : cancelled) {
                remove((VerbsSelectionKey) key);
            }
            cancelled.clear();
        }
    }

    /** {@return whether the JDK's selector had it} */
    private boolean detach(VerbsSelectionKey key) {
        boolean fromJdk = key.detach();
        if (fromJdk) {
            inner.decrementAndGet();
        }
        return fromJdk;
    }

    private void remove(VerbsSelectionKey key) {
        keys.remove(key);
        selected.remove(key);
        deregister(key);
        if (key.channel() instanceof SelectedChannel ours) {
            ours.deregistered(key);
        }
    }

    @Override
    protected void implCloseSelector() throws IOException {
        wakeup();
        synchronized (this) {
            synchronized (selectedSeen) {
                for (SelectionKey key : keys) {
                    key.cancel();
                    detach((VerbsSelectionKey) key);
                    remove((VerbsSelectionKey) key);
                }
                selected.clear();
                candidates.clear();
                jdk.close();
                synchronized (loopLock) {
                    if (loop != null) {
                        resources.verbs().retire(loop);
                    }
                }
            }
        }
    }
}
