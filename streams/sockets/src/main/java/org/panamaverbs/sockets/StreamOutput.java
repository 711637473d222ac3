package org.panamaverbs.sockets;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.VerbsException;
import org.panamaverbs.sockets.protocol.Message;
import org.panamaverbs.sockets.protocol.StreamCore;
import org.panamaverbs.sockets.protocol.StreamProtocolException;

/**
 * The outbound part of a stream: what the program writes, and the messages that end it. Bytes are gathered until a flush: they leave as one
 * Write, or several if they lie in many places, and one message. A message to a peer that takes such ones carries them if they are few and
 * were copied. They leave earlier if they fill the peer's target, or the memory for copies. Copies for which the peer has no room, or that are
 * written before the connection, wait in the same memory, and leave as soon as they can. The caller holds the stream's lock.
 */
// Tested by FlushTest, VerbsSocketTest.
final class StreamOutput {
    /** Up to so many bytes of registered memory are copied nevertheless: a part of its own, and a visible completion, cost more. */
    static final int COPIED = 512;

    /** From the first write on, or from the opening. */
    private @Nullable SendMemory sends;
    // Once the stream is connected.
    private @Nullable StreamCore core;
    private @Nullable MessagePort port;

    /** How many bytes were written; the ID of a request is the number of bytes before its end. */
    private long written;
    /** How many of these, the last ones, wait. */
    private int waiting;
    private long completed;
    /** How many bytes of those written wait for the next message, which has a credit, and a target unless it can carry them; */
    private int gathered;
    /** of these, how many are in Writes that were posted; */
    private int ahead;
    /** whether some are in memory of the program, or have waited: the message completes visibly; */
    private boolean visible;
    /** and whether the message can carry them: all were copied, behind room for its header. */
    private boolean carriable;
    /** The number of bytes before the end of the last ones in memory of the program. */
    private long directEnd;
    /** The ID of the last SHUTDOWN or DISCONNECT, beyond all bytes; 0 if there was none. */
    private long end;
    /** The program has shut it down. */
    private boolean shut;
    /** Why a request has failed; {@code null} if none has. */
    private @Nullable IOException failure;
    /** How many bytes were written when the loop looked last whether the stream is idle. */
    private long writtenBefore;
    private volatile boolean hasRoom = true;

    /** It has memory, and takes bytes. */
    void open(SendMemory memory) {
        sends = memory;
    }

    /** The stream is connected. */
    void begin(StreamCore protocol, MessagePort messages) {
        core = protocol;
        port = messages;
    }

    private SendMemory sends() {
        return Objects.requireNonNull(sends);
    }

    private StreamCore core() {
        return Objects.requireNonNull(core);
    }

    private MessagePort port() {
        return Objects.requireNonNull(port);
    }

    /** Throws if the program has shut it down. */
    void checkOpen() throws IOException {
        if (shut) {
            throw new IOException("the output of the stream is shut down");
        }
    }

    /** Throws if the peer takes no bytes any more. */
    void checkPeer() throws IOException {
        if (core != null && core.outputEnded()) {
            throw new IOException("the peer has closed the stream");
        }
    }

    /**
     * Copies bytes. Those for which the peer has no room wait.
     *
     * @return how many were taken; 0 if there is no room now
     * @throws StreamProtocolException if the peer's memory cannot be
     * @throws IOException             if there is no memory, and no byte was taken
     */
    int write(MemorySegment from, long offset, int length) throws IOException {
        sendWaiting();
        int total = 0;
        try {
            int part = Math.min(length, roomForCopies(length));
            boolean isFull = false;
            while (part > 0 && !isFull) {
                int count = copy(from, offset + total, part);
                total += count;
                isFull = count == 0;
                part = Math.min(length - total, roomForCopies(length - total));
            }
            if (total < length && !isFull) {
                total += keep(from, offset + total, length - total);
            }
        } catch (VerbsException | OutOfMemoryError e) {
            if (total == 0) {
                throw new IOException(e.getMessage(), e);
            }
            // Those bytes count; the next call throws.
        }
        sendIfFull(total < length);
        return total;
    }

    /** {@return how many bytes the next message takes, if it takes so many copies as the program has or else ends with the target} */
    private int roomForCopies(int length) throws StreamProtocolException {
        if (core == null || waiting > 0) {
            return 0;
        }
        int carried = gathered == 0 || carriable ? core.carried() - gathered : 0;
        return length <= carried && port().hasRoom() ? length : room();
    }

    /** {@return how many bytes the target takes for the next message} */
    private int room() throws StreamProtocolException {
        if (!port().hasRoom()) {
            return 0;
        }
        if (carriable && gathered > 0 && gathered >= core().room()) {
            post(false);
        }
        return core().room() - gathered;
    }

    private int copy(MemorySegment from, long offset, int length) throws StreamProtocolException {
        if (gathered == 0) {
            carriable = core().carried() > 0;
            sends().keepHeaders(carriable ? Message.HEADER : 0);
        }
        int part = Math.min(length, sends().room(length));
        if (part > 0) {
            gather(sends().region(), sends().offset(), part);
            written += part;
            boolean full = sends().copy(from, offset, part, written);
            if (full || !carriable && gathered == core().room()) {
                post(full);
            }
        }
        return part;
    }

    /** Bytes wait, behind all others. */
    private int keep(MemorySegment from, long offset, int length) {
        post();
        sends().keepHeaders(0);
        int kept = 0;
        int part = Math.min(length, sends().roomInBlocks());
        while (part > 0) {
            sends().keep(from, offset + kept, part, waiting == 0, written + part);
            written += part;
            waiting += part;
            kept += part;
            part = Math.min(length - kept, sends().roomInBlocks());
        }
        return kept;
    }

    /**
     * Sends bytes that wait, as far as the peer has room.
     *
     * @throws StreamProtocolException if the peer's memory cannot be
     */
    void sendWaiting() throws StreamProtocolException {
        if (waiting == 0 || core == null) {
            return;
        }
        int part = Math.min(sends().waitingLength(waiting), room());
        while (part > 0) {
            gather(sends().waitingRegion(), sends().waitingOffset(), part);
            sends().take(part);
            waiting -= part;
            visible = true;
            carriable = false;
            if (gathered == core.room()) {
                post(false);
            }
            part = waiting == 0 ? 0 : Math.min(sends().waitingLength(waiting), room());
        }
        post();
    }

    private void gather(MemoryRegion region, long offset, int length) {
        if (!port().gather(region, offset, length)) {
            port().postGathered(core().address() + ahead, core().key(), position());
            ahead = gathered;
            port().gather(region, offset, length);
        }
        gathered += length;
    }

    /** {@return how many bytes are gathered, or were posted} */
    private long position() {
        return written - waiting;
    }

    /** Posts what is gathered, if there is anything. */
    void post() {
        if (gathered > 0) {
            post(false);
        }
    }

    /** @param full whether the block of the copies is full: the program learns when it can be filled again */
    private void post(boolean full) {
        boolean inline;
        if (carriable && core().canCarry(gathered)) {
            inline = gathered <= MessagePort.INLINE - Message.HEADER;
            port().postCarrying(inline, core().carry(gathered), core().limit(), position(), full);
        } else {
            inline = gathered <= MessagePort.INLINE && ahead == 0 && !visible;
            // A post that throws, since the program has closed its region, changes nothing.
            port().post(inline, core().address() + ahead, core().key(), Message.of(Message.DATA, gathered), position(), full || visible);
            core().send(gathered);
        }
        sends().posted(inline && !full);
        gathered = 0;
        ahead = 0;
        visible = false;
        carriable = false;
    }

    /** A program that cannot write all waits for room: what it has written leaves. */
    private void sendIfFull(boolean full) {
        if (full && core != null) {
            post();
            port().ringDoorbell();
        }
        publish();
    }

    /**
     * Sends bytes of registered memory.
     *
     * @return how many were taken; 0 if there is no room now
     * @throws StreamProtocolException  if the peer's memory cannot be
     * @throws IOException              if few bytes were to be copied, and there is no memory
     * @throws IllegalArgumentException if the region is not of the stream's domain
     */
    int write(MemoryRegion region, long offset, int length) throws IOException {
        if (core == null) {
            throw new IOException("the stream is not connected yet");
        }
        port().check(region);
        if (length <= COPIED) {
            return write(region.segment(), offset, length);
        }
        sendWaiting();
        int total = 0;
        int part = waiting > 0 ? 0 : Math.min(length, room());
        while (part > 0) {
            gather(region, offset + total, part);
            written += part;
            visible = true;
            directEnd = written;
            carriable = false;
            if (gathered == core.room()) {
                post(false);
            }
            total += part;
            part = Math.min(length - total, room());
        }
        sendIfFull(total < length);
        return total;
    }

    /** A request has completed. */
    void onCompletion(Completions completion) {
        if (completion.isSuccess()) {
            completed = completion.id();
            sends().completed(completed);
        } else if (failure == null && completion.status() != CompletionStatus.FLUSHED) {
            // The receives are flushed next, and the stream ends with this reason.
            failure = new IOException("the connection was lost: " + completion.status().text());
        }
    }

    /** {@return why a request has failed; {@code null} if none has} */
    @Nullable
    IOException failure() {
        return failure;
    }

    /** The program shuts it down. */
    void shut() {
        shut = true;
    }

    /** {@return whether there is something for the peer: bytes, or the end of the output} */
    boolean isDue() {
        return written > 0 || shut;
    }

    /**
     * Posts the messages that end it, behind all bytes, if they are due and there is room.
     *
     * @param closes whether the stream ends both ways
     */
    void postEnds(boolean closes) {
        if (shut || closes) {
            post();
        }
        if (waiting > 0) {
            return;
        }
        if (shut && !closes && !core().outputEnded() && port().hasControlRoom()) {
            postEnd(core().shutdown());
        }
        if (closes && !core().disconnected() && port().hasControlRoom()) {
            postEnd(core().disconnect());
        }
    }

    private void postEnd(int message) {
        end = Math.max(end, written) + 1;
        port().postEnd(core().entryAddress(), core().entryKey(), message, end);
    }

    /** {@return whether both directions have ended, and all has left} */
    boolean isDrained() {
        return core().disconnected() && completed >= end;
    }

    /** What the program can do has changed. */
    void publish() {
        hasRoom = core != null && core.outputEnded() || sends().hasRoom();
    }

    /** {@return whether a write would take bytes, or throw because the peer has closed} Any thread may ask. */
    boolean hasRoom() {
        return hasRoom;
    }

    /** Gives its memory back if the program has written nothing since the last call, and all has gone. */
    void releaseIfIdle() {
        boolean unused = written == writtenBefore;
        writtenBefore = written;
        if (unused && waiting == 0 && gathered == 0 && sends().hasBlocks() && port().isIdle()) {
            sends().release();
        }
    }

    /** {@return whether both directions have ended by messages} */
    boolean hasEnded() {
        return core != null && (core.disconnected() || core.inputEnded() && core.outputEnded());
    }

    /** {@return how many bytes were written} */
    long written() {
        return written;
    }

    /** {@return how many of these need their memory no more: those that have gone, and copies behind them} */
    long completed() {
        return completed >= directEnd ? written : completed;
    }

    /** Nothing reads the program's memory any more. */
    void release() {
        completed = written;
    }

    @Override
    public String toString() {
        return written + " bytes written, " + completed + " gone; " + core;
    }
}
