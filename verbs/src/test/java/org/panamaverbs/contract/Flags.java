package org.panamaverbs.contract;

import org.panamaverbs.SendRequest;
import org.panamaverbs.spi.WorkRequest;

/** The flags of a request as the bits of {@link WorkRequest}, for tests that draw or compute them. */
public final class Flags {
    private Flags() {
    }

    /**
     * Adds flags.
     *
     * @param request the request
     * @param bits    of {@link WorkRequest}
     * @return the request
     */
    public static SendRequest on(SendRequest request, int bits) {
        if ((bits & WorkRequest.FENCE) != 0) {
            request.fenced();
        }
        if ((bits & WorkRequest.SOLICITED) != 0) {
            request.solicited();
        }
        return request.signaled((bits & WorkRequest.SIGNALED) != 0).inline((bits & WorkRequest.INLINE) != 0)
                .more((bits & WorkRequest.MORE) != 0);
    }
}
