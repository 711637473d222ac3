package org.panamaverbs.rdmacore.post;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.function.BiConsumer;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.rdmacore.queue.CompletionStash;
import org.panamaverbs.rdmacore.queue.KeptCompletion;
import org.panamaverbs.rdmacore.queue.PolledQueue;
import org.panamaverbs.rdmacore.queue.WorkCompletionHandler;
import org.panamaverbs.rdmacore.queue.WrIdTable;
import org.panamaverbs.spi.CompletionBuffer;

/**
 * Takes the device's reports out of one of its completion queues; their handlers make the completions of them that the program expects. The
 * device writes into the memory of the program's cursor. A completion that the program does not want leaves a gap, which the next one closes.
 * For one thread at a time: under the completion queue's lock, but for the queue pairs that are not connected yet.
 */
// Tested by ReportReaderTest, ReportFaultsTest, CoreCompletionQueuePollFaultsTest, EarlyAnswerFaultsTest.
public final class ReportReader {
    /** The most that one call takes from the device: safepoints wait for it. */
    private static final int BATCH = 32;

    private final PolledQueue queue;
    private final WrIdTable handlers;
    private final BiConsumer<String, Throwable> onFailure;
    private final OwnersByNumber connecting = new OwnersByNumber();
    /** Further completions, to be delivered after those that a poll brought. */
    private final CompletionStash late = new CompletionStash();
    /** Completions that waited for the one which is being delivered. */
    private final CompletionStash released = new CompletionStash();
    /** What the device brings when no program polls. */
    private final CompletionBuffer drained = new CompletionBuffer(BATCH);
    /** Whether each completion goes straight to the program: nothing comes late, and each queue pair is connected. */
    private boolean isStraight;
    private boolean failed;

    /**
     * @param onFailure called when a poll failed, with a description and the exception, or {@code null}; the device is polled no more
     */
    public ReportReader(PolledQueue queue, WrIdTable handlers, BiConsumer<String, Throwable> onFailure) {
        this.queue = queue;
        this.handlers = handlers;
        this.onFailure = onFailure;
    }

    /** The queue pairs that are not connected yet, whose receives complete here. */
    public OwnersByNumber connecting() {
        return connecting;
    }

    /** Completions that come after those that the last poll brought. */
    public CompletionStash late() {
        return late;
    }

    /** Whether the device is polled no more, since a poll failed. */
    public boolean hasFailed() {
        return failed;
    }

    /** A completion that waited for the one which is being delivered, or {@code null}. */
    public void addLate(KeptCompletion completion) {
        if (completion != null) {
            isStraight = false;
            released.add(completion);
        }
    }

    /**
     * Polls the device until it has nothing more, or there is no more room, or something comes late.
     *
     * @return how many completions the buffer has
     */
    public int poll(CompletionBuffer into) {
        return poll(into, true);
    }

    /** As {@link #poll}; all come late. */
    public void drain() {
        drained.makeNative();
        poll(drained, false);
    }

    private int poll(CompletionBuffer into, boolean delivers) {
        int delivered = 0;
        while (!failed) {
            int first = delivered;
            int most = Math.min(into.capacity() - first, BATCH);
            int polled = queue.poll(into, first, most);
            if (polled < 0 || polled > most) {
                // The device may have taken completions out of the queue before it failed: polling on would lose these unnoticed.
                fail(queue.failure(polled), null);
                return delivered;
            }
            isStraight = delivers && connecting.isEmpty();
            long memory = into.memory().address();
            try {
                for (int i = first; i < first + polled; i++) {
                    delivered = report(into, NativeMemory.address(memory + i * CompletionBuffer.SIZE), i, delivered, delivers);
                }
            } catch (RuntimeException | Error e) {
                // Memory is short, for instance. The device has none of these reports any more, and the rest of them is lost.
                fail("its reports could not be handled", e);
            }
            Reference.reachabilityFence(into);
            if (polled == 0 || delivered == into.capacity() || !late.isEmpty() || delivered > 0 && polled < most) {
                return delivered;
            }
        }
        return delivered;
    }

    private void fail(String how, Throwable thrown) {
        failed = true;
        onFailure.accept(how, thrown);
    }

    /** One report; gives how many completions the buffer has with it. */
    private int report(CompletionBuffer polled, long completion, int index, int delivered, boolean delivers) {
        long request = NativeMemory.getLong(completion + CompletionBuffer.ID);
        WorkCompletionHandler handler = handlers.find(request);
        boolean isExpected = handler != null && handler.onReport(request, completion, polled, index);
        if (!isStraight) {
            return detour(isExpected ? handler : null, polled, completion, index, delivered, delivers);
        }
        return isExpected ? deliver(handler, polled, completion, index, delivered) : delivered;
    }

    private static int deliver(WorkCompletionHandler handler, CompletionBuffer polled, long completion, int index, int delivered) {
        polled.attach(delivered, handler.attachment(completion));
        if (index != delivered) {
            MemorySegment.copy(polled.memory(), index * CompletionBuffer.SIZE, polled.memory(), delivered * CompletionBuffer.SIZE,
                    CompletionBuffer.SIZE);
            polled.timestamps().setAtIndex(ValueLayout.JAVA_LONG, delivered, polled.timestamps().getAtIndex(ValueLayout.JAVA_LONG, index));
        }
        return delivered + 1;
    }

    /** As {@link #report}, if completions may come late, or a queue pair is not connected yet. */
    private int detour(WorkCompletionHandler handler, CompletionBuffer polled, long completion, int index, int delivered,
            boolean delivers) {
        int count = delivered;
        if (handler != null && !keepsEarly(handler, polled, completion, index)) {
            // Once something comes late, everything after it does.
            if (delivers && late.isEmpty()) {
                count = deliver(handler, polled, completion, index, delivered);
            } else {
                late.add(KeptCompletion.copy(polled, index, handler.attachment(completion)));
            }
        }
        late.addAll(released);
        return count;
    }

    /** Keeps the completion of a receive whose queue pair is not connected yet; {@code false} for any other. */
    private boolean keepsEarly(WorkCompletionHandler handler, CompletionBuffer polled, long completion, int index) {
        if (connecting.isEmpty() || (NativeMemory.getInt(completion + CompletionBuffer.OPCODE) & CompletionBuffer.RECEIVED) == 0) {
            return false;
        }
        WorkOwner owner = connecting.find(NativeMemory.getInt(completion + CompletionBuffer.QUEUE_PAIR));
        if (owner != null) {
            owner.early().add(KeptCompletion.copy(polled, index, handler.attachment(completion)));
        }
        return owner != null;
    }
}
