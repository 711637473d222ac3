package org.panamaverbs;

import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.Described;
import org.panamaverbs.spi.ReceiveWorkRequest;
import org.panamaverbs.spi.SendWorkRequest;

/** Gives providers what the objects of a program hold; {@link Described} finds it by its name. */
final class DescribedObjects extends Described {
    static {
        new DescribedObjects();
    }

    private DescribedObjects() {
        // Its base class keeps it.
    }

    @Override
    protected SendWorkRequest workRequest(SendRequest request) {
        return request.work;
    }

    @Override
    protected ReceiveWorkRequest workRequest(ReceiveRequest request) {
        return request.work;
    }

    @Override
    protected CompletionBuffer completionBuffer(Completions cursor) {
        return cursor.buffer;
    }
}
