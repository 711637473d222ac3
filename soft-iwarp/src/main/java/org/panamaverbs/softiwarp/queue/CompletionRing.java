package org.panamaverbs.softiwarp.queue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.spi.CompletionBuffer;

/**
 * The ring of a completion queue. A completion has four words of 64 bits here, since the room for those of each queue pair is reserved, and
 * most of it is never used; a poll makes a {@code struct ibv_wc} of it:
 *
 * <pre>
 * 0  the request's number
 * 1  status 8 | opcode 8 | 16 unused | flags 32
 * 2  vendor's error code, or the last 32 bits of an Immediate Data message, 32 | length 32
 * 3  immediate data or invalidated key 32 | number of the queue pair 32
 * </pre>
 *
 * Many threads add completions under one lock, and many
 * poll them under another; a thread that resizes the ring takes both. A completion that finds the ring full is lost and overruns the queue,
 * as on hardware (RFC 5042, 6.4.3).
 */
public final class CompletionRing {
    private static final VarHandle TAIL = Fields.of(MethodHandles.lookup(), "tail", long.class);
    private static final VarHandle HEAD = Fields.of(MethodHandles.lookup(), "head", long.class);
    private static final boolean IS_BIG_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
    /** The size of a completion in {@code long}s. */
    private static final int WORDS = 4;
    private static final int NOT_ARMED = 0;
    private static final int ARMED_FOR_ANY = 1;
    private static final int ARMED_FOR_SOLICITED = 2;

    private final CompletionListener listener;
    private final SpinLock producers = new SpinLock();
    private final SpinLock consumers = new SpinLock();
    /** Read under either lock and written under both, as are the next two. */
    private long[] words;
    /** The object attached to the queue pair of each completion; {@code null} in free slots. */
    private Object[] attachments;
    private int mask;
    /** The most completions that waited when a thread took some. Under {@link #consumers}. */
    private int mostWaiting;
    /** The next slot to write. Under {@link #producers}: a release of this field publishes the slots before it. */
    private volatile long tail;
    /** The next slot to poll. Under {@link #consumers}: a release of this field frees the slots before it. */
    private volatile long head;
    /**
     * Written under {@link #producers}: either the producer of a completion sees that the ring is armed, or the thread that arms it sees the
     * completion.
     */
    private volatile int armed;
    private volatile boolean overrun;

    /**
     * Makes an empty ring.
     *
     * @param capacity a power of two
     * @param listener is notified of a completion if the ring is armed, and of an overrun
     */
    public CompletionRing(int capacity, CompletionListener listener) {
        this.words = words(capacity);
        this.attachments = new Object[capacity];
        this.mask = capacity - 1;
        this.listener = listener;
    }

    private static long[] words(int capacity) {
        return new long[Math.multiplyExact(capacity, WORDS)];
    }

    /** How many completions it holds. */
    public int capacity() {
        consumers.lock();
        try {
            return mask + 1;
        } finally {
            consumers.unlock();
        }
    }

    /**
     * Makes it larger or smaller. Completions that wait stay, in their order.
     *
     * @param capacity a power of two
     * @param least    no more completions may wait than this, at most {@code capacity}
     * @return how many wait; if more than {@code least}, the ring is as before
     */
    public int resize(int capacity, int least) {
        long[] movedWords = words(capacity);
        Object[] movedAttachments = new Object[capacity];
        producers.lock();
        consumers.lock();
        try {
            int waiting = (int) (tail - head);
            if (waiting > least) {
                return waiting;
            }
            for (long i = head; i < tail; i++) {
                int from = (int) i & mask;
                int at = (int) i & capacity - 1;
                System.arraycopy(words, from * WORDS, movedWords, at * WORDS, WORDS);
                movedAttachments[at] = attachments[from];
            }
            words = movedWords;
            attachments = movedAttachments;
            mask = capacity - 1;
            return waiting;
        } finally {
            consumers.unlock();
            producers.unlock();
        }
    }

    /** How many completions were ever added. */
    public long added() {
        return tail;
    }

    /** How many completions were ever polled. */
    public long polled() {
        return head;
    }

    /** Whether there is nothing to poll. Takes no lock. */
    public boolean isEmpty() {
        return head == tail;
    }

    /** The most completions that have waited at once. */
    public int mostWaiting() {
        consumers.lock();
        try {
            // Those that wait now are not counted yet; only taking some makes them fewer.
            return Math.max(mostWaiting, (int) (tail - head));
        } finally {
            consumers.unlock();
        }
    }

    /** Whether a completion was lost because the ring was full. */
    public boolean isOverrun() {
        return overrun;
    }

    /**
     * Adds a completion.
     *
     * @param status      0 to 255, as the opcode
     * @param vendorError the vendor's error code
     * @param key         immediate data or an invalidated key, as it lies in memory
     * @param solicited   whether the completion is solicited: it then counts if the ring is armed for solicited completions only
     * @return {@code false} if the ring is full: it is overrun from now on
     */
    public boolean add(long id, int status, int opcode, int vendorError, int length, int key, int flags, Origin origin, boolean solicited) {
        boolean full;
        boolean notifies = false;
        producers.lock();
        try {
            long at = tail;
            int mask = this.mask;
            full = at - head > mask;
            if (!full) {
                long[] words = this.words;
                int base = ((int) at & mask) * WORDS;
                words[base] = id;
                words[base + 1] = pair(status | opcode << Byte.SIZE, flags);
                words[base + 2] = pair(vendorError, length);
                words[base + 3] = pair(key, origin.queuePair());
                if (origin.attachment() != null) {
                    attachments[(int) (at & mask)] = origin.attachment();
                }
                TAIL.setRelease(this, at + 1);
                notifies = armed != NOT_ARMED && (armed == ARMED_FOR_ANY || solicited || status != 0);
                if (notifies) {
                    armed = NOT_ARMED;
                }
            }
        } finally {
            producers.unlock();
        }
        if (full) {
            overrun();
        } else if (notifies) {
            listener.onCompletion();
        }
        return !full;
    }

    /**
     * Adds the successful completion of a receive that an Immediate Data message took.
     *
     * @param written   whether the message before was a Write
     * @param length    bytes of that Write
     * @param immediate 64 bits, of which the first 32 are the immediate data of 32 bits
     * @param solicited as above
     * @return {@code false} if the ring is full: it is overrun from now on
     */
    public boolean addImmediate(long id, boolean written, int length, long immediate, Origin origin, boolean solicited) {
        CompletionOpcode opcode = written ? CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE : CompletionOpcode.RECEIVE;
        return add(id, CompletionStatus.SUCCESS.value(), opcode.value(), (int) immediate, length,
                inNetworkOrder((int) (immediate >>> Integer.SIZE)), CompletionBuffer.WITH_IMMEDIATE | CompletionBuffer.WITH_IMMEDIATE_64,
                origin, solicited);
    }

    private static long pair(int first, int second) {
        return Integer.toUnsignedLong(first) | (long) second << Integer.SIZE;
    }

    private static int inNetworkOrder(int value) {
        return IS_BIG_ENDIAN ? value : Integer.reverseBytes(value);
    }

    private void overrun() {
        producers.lock();
        boolean first = !overrun;
        overrun = true;
        producers.unlock();
        if (first) {
            listener.onOverrun();
        }
    }

    /**
     * Asks for one call of the listener, at the next completion. The caller polls once more after this, because completions that are in the
     * ring already do not count.
     */
    public void arm(boolean solicitedOnly) {
        int wanted = solicitedOnly ? ARMED_FOR_SOLICITED : ARMED_FOR_ANY;
        // If another thread has armed the ring for any completion, that serves both threads.
        if (isArmed(wanted)) {
            return;
        }
        producers.lock();
        if (!isArmed(wanted)) {
            armed = wanted;
        }
        producers.unlock();
    }

    private boolean isArmed(int wanted) {
        int current = armed;
        return current == ARMED_FOR_ANY || current == wanted;
    }

    /**
     * Takes completions, oldest first, as many as there are and the cursor has room for; the cursor then stands before the first.
     *
     * @return how many
     */
    public int poll(CompletionBuffer into) {
        int count = isEmpty() ? 0 : take(into);
        into.filled(count);
        return count;
    }

    private int take(CompletionBuffer into) {
        consumers.lock();
        try {
            long from = head;
            int waiting = (int) (tail - from);
            if (waiting > mostWaiting) {
                // Seldom: the queue has never been so full.
                mostWaiting = waiting;
            }
            int count = Math.min(into.capacity(), waiting);
            long[] words = this.words;
            Object[] attachments = this.attachments;
            int mask = this.mask;
            for (int i = 0; i < count; i++) {
                int slot = (int) (from + i & mask);
                fill(into.memory(), i * CompletionBuffer.SIZE, words, slot * WORDS);
                Object attachment = attachments[slot];
                into.attach(i, attachment);
                if (attachment != null) {
                    attachments[slot] = null;
                }
            }
            HEAD.setRelease(this, from + count);
            return count;
        } finally {
            consumers.unlock();
        }
    }

    /** Makes a {@code struct ibv_wc} of a completion. */
    private static void fill(MemorySegment into, long at, long[] words, int base) {
        long kind = words[base + 1];
        long sizes = words[base + 2];
        long numbers = words[base + 3];
        int flags = (int) (kind >>> Integer.SIZE);
        boolean isLong = (flags & CompletionBuffer.WITH_IMMEDIATE_64) != 0;
        into.set(ValueLayout.JAVA_LONG, at + CompletionBuffer.ID, words[base]);
        into.set(ValueLayout.JAVA_INT, at + CompletionBuffer.STATUS, (int) kind & 0xff);
        into.set(ValueLayout.JAVA_INT, at + CompletionBuffer.OPCODE, (int) kind >>> Byte.SIZE & 0xff);
        into.set(ValueLayout.JAVA_INT, at + CompletionBuffer.VENDOR_ERROR, isLong ? 0 : (int) sizes);
        into.set(ValueLayout.JAVA_INT, at + CompletionBuffer.BYTE_LENGTH, (int) (sizes >>> Integer.SIZE));
        into.set(ValueLayout.JAVA_INT, at + CompletionBuffer.IMMEDIATE, (int) numbers);
        into.set(ValueLayout.JAVA_INT, at + CompletionBuffer.QUEUE_PAIR, (int) (numbers >>> Integer.SIZE));
        into.set(ValueLayout.JAVA_INT, at + CompletionBuffer.SOURCE_QUEUE_PAIR, 0);
        into.set(ValueLayout.JAVA_INT, at + CompletionBuffer.FLAGS, flags);
        into.set(ValueLayout.JAVA_INT, at + CompletionBuffer.IMMEDIATE_64, isLong ? (int) numbers : 0);
        into.set(ValueLayout.JAVA_INT, at + CompletionBuffer.IMMEDIATE_64 + Integer.BYTES, isLong ? inNetworkOrder((int) sizes) : 0);
    }
}
