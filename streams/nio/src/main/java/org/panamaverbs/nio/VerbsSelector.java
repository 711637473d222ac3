package org.panamaverbs.nio;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.AbstractSelector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.panamaverbs.Device;
import org.panamaverbs.VerbsException;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.sockets.SocketLoop;

/**
 * A selector of channels over verbs and of channels of the JDK.
 *
 * <p>The thread that selects waits at one place. If all channels go over verbs, it turns the loop of their streams itself. If some are the
 * JDK's, it waits in the JDK's selector, and the loop's own thread wakes it.
 *
 * <p>A key may be ready if something has changed since it was looked at ({@link #note}), or if it was ready the last time; only these are
 * looked at.
 */
// Tested by ChannelRulesTest, SelectorTest.
final class VerbsSelector extends AbstractSelector {
    private static final BooleanSupplier NEVER = () -> false;

    /** Where the thread that selects waits. */
    private enum Place {
        NOWHERE, LOOP, JDK
    }

    private final VerbsSelectorProvider provider;
    private final Selector jdk;
    private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
    private final Set<SelectionKey> keysSeen = Collections.unmodifiableSet(keys);
    private final Set<SelectionKey> selected = new HashSet<>();
    private final Set<SelectionKey> selectedSeen = new SelectedKeys(selected);
    private final Queue<VerbsSelectionKey> changed = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    /** How many keys the JDK's selector has. */
    private final AtomicInteger inner = new AtomicInteger();
    private final BooleanSupplier hasWork = () -> woken.get() || !changed.isEmpty() || inner.get() > 0;
    private final Consumer<SelectionKey> takeInner = this::takeInner;
    private volatile Place place = Place.NOWHERE;
    private volatile boolean loopFailed;

    private final Object loopLock = new Object();
    /** Guarded by its lock; made for the first stream. */
    private volatile SocketLoop loop;

    /** Of the thread that selects: keys that may be ready. */
    private final List<VerbsSelectionKey> candidates = new ArrayList<>();
    /** Of the thread that selects: keys that an action gets. */
    private final List<VerbsSelectionKey> acting = new ArrayList<>();
    /** Guarded by this. */
    private boolean inSelect;

    VerbsSelector(VerbsSelectorProvider provider, Selector jdk) {
        super(provider);
        this.provider = provider;
        this.jdk = jdk;
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
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object attachment) {
        if (!(channel instanceof SelectedChannel) && channel.provider() != provider.jdk()) {
            throw new IllegalSelectorException();
        }
        checkOpen();
        VerbsSelectionKey key = new VerbsSelectionKey(this, channel);
        key.attach(attachment);
        keys.add(key);
        try {
            if (channel instanceof SelectedChannel ours) {
                ours.registered(key);
            } else {
                key.carryBy(channel);
            }
            key.interestOps(ops);
        } catch (IOException e) {
            keys.remove(key);
            throw new IllegalStateException("the channel cannot be registered: " + e.getMessage(), e);
        }
        return key;
    }

    SelectionKey registerInner(SelectableChannel carrier, int ops, VerbsSelectionKey key) throws IOException {
        carrier.configureBlocking(false);
        SelectionKey made = carrier.register(jdk, ops, key);
        inner.incrementAndGet();
        wake();
        return made;
    }

    /** {@return the loop for a stream of this selector's channels} */
    SocketLoop loop(Device device) {
        synchronized (loopLock) {
            if (loop == null && isOpen()) {
                loop = provider.verbs().newLoop(device);
                if (place == Place.JDK) {
                    // It chooses its place again.
                    jdk.wakeup();
                }
            }
            return isOpen() && loop.streams().device() == device ? loop : provider.verbs().loop(device);
        }
    }

    /** A key may have become ready: the thread that selects looks at it before it waits. */
    void note(VerbsSelectionKey key) {
        if (key.note()) {
            changed.add(key);
        }
    }

    /**
     * A channel over verbs has changed.
     *
     * @param by the loop whose thread calls; {@code null} if it is another thread
     */
    void changed(VerbsSelectionKey key, SocketLoop by) {
        note(key);
        // A thread that waits for the same loop looks at the end of the turn.
        if (by == null || by != loop || place == Place.JDK) {
            wake();
        }
    }

    private void wake() {
        switch (place) {
            case JDK -> jdk.wakeup();
            case LOOP -> loop.wakeup();
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

    @Override
    public int selectNow() throws IOException {
        return select(null, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public int select() throws IOException {
        return select(null, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    }

    @Override
    public int select(long timeout) throws IOException {
        if (timeout < 0) {
            throw new IllegalArgumentException("a time-out of " + timeout + " ms");
        }
        return timeout == 0 ? select() : select(null, timeout, TimeUnit.MILLISECONDS);
    }

    @Override
    public int select(Consumer<SelectionKey> action) throws IOException {
        return select(Objects.requireNonNull(action), Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    }

    @Override
    public int select(Consumer<SelectionKey> action, long timeout) throws IOException {
        Objects.requireNonNull(action);
        if (timeout < 0) {
            throw new IllegalArgumentException("a time-out of " + timeout + " ms");
        }
        return timeout == 0 ? select(action) : select(action, timeout, TimeUnit.MILLISECONDS);
    }

    @Override
    public int selectNow(Consumer<SelectionKey> action) throws IOException {
        return select(Objects.requireNonNull(action), 0, TimeUnit.NANOSECONDS);
    }

    /** @param action gets the keys that are ready; if it is {@code null}, they become selected keys */
    private int select(Consumer<SelectionKey> action, long time, TimeUnit unit) throws IOException {
        synchronized (this) {
            checkOpen();
            if (inSelect) {
                throw new IllegalStateException("select in progress");
            }
            inSelect = true;
            try {
                synchronized (selectedSeen) {
                    return selectLocked(action, unit.toNanos(time));
                }
            } finally {
                inSelect = false;
            }
        }
    }

    private int selectLocked(Consumer<SelectionKey> action, long nanos) throws IOException {
        removeCancelled();
        int updated;
        begin();
        try {
            updated = waitAndCollect(action, nanos);
        } finally {
            end();
        }
        removeCancelled();
        if (action != null) {
            updated = acting.size();
            try {
                for (VerbsSelectionKey key : acting) {
                    action.accept(key);
                    checkOpen();
                }
            } finally {
                acting.clear();
            }
        }
        return updated;
    }

    private int waitAndCollect(Consumer<SelectionKey> action, long nanos) throws IOException {
        long start = System.nanoTime();
        long left = nanos;
        while (true) {
            takeTurn(isAnyReady() ? 0 : left);
            int updated = collect(action != null);
            left = nanos == Long.MAX_VALUE ? nanos : Math.max(0, nanos - (System.nanoTime() - start));
            if (!candidates.isEmpty() || updated > 0 || woken.get() || left == 0 || !isOpen() || Thread.currentThread().isInterrupted()) {
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
            boolean now = nanos == 0 || woken.get() || !changed.isEmpty() || !isOpen();
            if (place == Place.LOOP) {
                turnLoop(now ? 0 : nanos);
            } else if (now) {
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
        try {
            if (nanos == 0) {
                loop.await(NEVER, Duration.ZERO);
            } else {
                loop.await(hasWork, Duration.ofNanos(nanos));
            }
        } catch (WaitInterruptedException e) {
            // The thread's status says it.
        } catch (VerbsException e) {
            loopFailed = true;
            provider.verbs().complaints().error("the channels of device {} do not work any more", loop.streams().device().name(), e);
        }
    }

    private void takeInner(SelectionKey key) {
        VerbsSelectionKey outer = (VerbsSelectionKey) key.attachment();
        outer.innerReady(key.readyOps());
        note(outer);
    }

    private void takeChanged() {
        for (VerbsSelectionKey key = changed.poll(); key != null; key = changed.poll()) {
            key.unnote();
            if (key.becomesCandidate()) {
                candidates.add(key);
            }
        }
    }

    private boolean isAnyReady() {
        takeChanged();
        for (int i = 0; i < candidates.size(); i++) {
            VerbsSelectionKey key = candidates.get(i);
            if (key.isValid() && key.found() != 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Puts keys that are ready among the selected ones, or, for an action, beside them; those that are not ready are no candidates any more.
     */
    private int collect(boolean forAction) {
        takeChanged();
        int updated = 0;
        int kept = 0;
        for (int i = 0; i < candidates.size(); i++) {
            VerbsSelectionKey key = candidates.get(i);
            int found = key.isValid() ? key.found() : 0;
            if (found == 0) {
                key.noCandidate();
            } else {
                candidates.set(kept++, key);
                if (forAction) {
                    key.publish(found, false);
                    acting.add(key);
                } else if (key.publish(found, !selected.add(key))) {
                    updated++;
                }
            }
        }
        candidates.subList(kept, candidates.size()).clear();
        return updated;
    }

    private void removeCancelled() throws IOException {
        boolean fromJdk = false;
        Set<SelectionKey> cancelled = cancelledKeys();
        synchronized (cancelled) {
            for (Iterator<SelectionKey> each = cancelled.iterator(); each.hasNext();) {
                fromJdk |= remove((VerbsSelectionKey) each.next());
                each.remove();
            }
        }
        if (fromJdk) {
            jdk.selectNow(takeInner);
        }
    }

    /** {@return whether the JDK's selector had it} */
    private boolean remove(VerbsSelectionKey key) {
        keys.remove(key);
        selected.remove(key);
        boolean fromJdk = key.carryNoMore();
        if (fromJdk) {
            inner.decrementAndGet();
        }
        deregister((AbstractSelectionKey) key);
        if (key.channel() instanceof SelectedChannel ours) {
            ours.deregistered(key);
        }
        return fromJdk;
    }

    @Override
    protected void implCloseSelector() throws IOException {
        wakeup();
        synchronized (this) {
            synchronized (selectedSeen) {
                for (SelectionKey key : keys) {
                    key.cancel();
                    remove((VerbsSelectionKey) key);
                }
                selected.clear();
                candidates.clear();
                jdk.close();
                synchronized (loopLock) {
                    if (loop != null) {
                        provider.verbs().retire(loop);
                    }
                }
            }
        }
    }
}
