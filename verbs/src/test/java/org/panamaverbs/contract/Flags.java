package org.panamaverbs.contract;

import org.panamaverbs.SendRequest;
import org.panamaverbs.spi.SendWorkRequest;

/** The flags of a request as the bits of {@link SendWorkRequest}, for tests that draw or compute them. */
public final class Flags {
    private Flags() {
    }

    /**
     * Adds flags.
     *
     * @param request the request
     * @param bits    of {@link SendWorkRequest}
     * @return the request
     */
    public static SendRequest on(SendRequest request, int bits) {
        if ((bits & SendWorkRequest.FENCE) != 0) {
            request.fenced();
        }
        if ((bits & SendWorkRequest.SOLICITED) != 0) {
            request.solicited();
        }
        return request.signaled((bits & SendWorkRequest.SIGNALED) != 0).inline((bits & SendWorkRequest.INLINE) != 0)
                .more((bits & SendWorkRequest.MORE) != 0);
    }
}
