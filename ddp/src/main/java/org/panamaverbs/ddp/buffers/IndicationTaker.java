package org.panamaverbs.ddp.buffers;

import org.panamaverbs.VerbsException;
import org.panamaverbs.ddp.RegisteredBuffer;

/** Takes an indication out of {@link Indications}. Sources are what {@link Client#source} was given. */
public interface IndicationTaker {
    /** Takes an untagged message. */
    void message(RegisteredBuffer into, long offset, long length, int queue, int octet, int word, Object source);

    /** Takes a notification of a tagged message. */
    void notification(int messageId, int octet, Object source);

    /** Takes the end of the stream, in good order if the reason is {@code null}. */
    void end(VerbsException reason, Object source);
}
