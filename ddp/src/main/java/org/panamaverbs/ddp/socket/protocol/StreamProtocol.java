package org.panamaverbs.ddp.socket.protocol;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.ddp.MessageSizes;
import org.panamaverbs.softiwarp.memory.IoVector;

/**
 * A protocol over a byte stream, as a stream socket drives it: without I/O, in two halves. The loop's leader uses the receiving half.
 * The sending thread uses the transmitting half: it begins a message, then polls and reports bytes until the vector is empty.
 *
 * <p>Methods of the receiving half return why the stream must end, in words without the peer's address, or {@code null}.
 */
public interface StreamProtocol {
    /** Says where the next bytes go: replaces the content of the vector. */
    void pollReceive(IoVector into);

    /** Whether the channel may have more after a read of so many bytes. */
    default boolean isMoreThere(long count, long asked) {
        return count == asked;
    }

    /** Bytes have come, in the order of the vector. */
    String onReceived(long count);

    /** The memory that the next bytes should go to can no longer be used. If the stream goes on, the targets are others from now on. */
    String onBadReceiveMemory();

    /** The peer has ended its direction; {@code null} if that is good order. */
    String onEndOfStream();

    /** Whether nothing may be sent before something of the peer has come. */
    boolean isHeld();

    /** The longest messages that one message of the transport carries. */
    MessageSizes sizes();

    /** The longest untagged message: 0 or more bytes. */
    long longestUntagged();

    /** The longest tagged message: 0 or more bytes. */
    long longestTagged();

    /** The largest message identifier. */
    int mostIdentifier();

    /** Begins an untagged message; the fields are those of RFC 5041, and 0 on other protocols. */
    void beginUntagged(MemorySegment message, long offset, long length, int queue, int octet, int word);

    /** Begins a tagged message; {@code octet} is that of RFC 5041 if there is no notification, and means nothing on others. */
    void beginTagged(MemorySegment message, long offset, long length, int stag, long taggedOffset, boolean notifies, int messageId,
            int octet);

    /**
     * The bytes to send next. The content stays until {@link #onSent}.
     *
     * @return empty if the message is sent whole; {@code null} if its memory can no longer be used, and nothing is left of what came before
     */
    IoVector pollTransmit();

    /** Bytes of the last {@link #pollTransmit} were sent. */
    void onSent(long count);

    /** Drops the message under way. Nothing may follow if some of it was sent. */
    void drop();
}
