package org.panamaverbs.nfs.client;

import java.time.Duration;

/**
 * Options of a client.
 *
 * @param uid      the user of AUTH_SYS (RFC 5531, appendix A), unsigned
 * @param gid      the group, unsigned
 * @param parallel the most calls in flight, 1 to 1,024; the server may allow fewer
 * @param ioSize   the most bytes of a READ or WRITE, 4,096 to 16,777,216; the server may allow fewer
 * @param timeout  how long a call may take
 * @param patience how long operations are tried again that the server puts off (NFS4ERR_DELAY, NFS4ERR_GRACE)
 */
public record NfsOptions(int uid, int gid, int parallel, int ioSize, Duration timeout, Duration patience) {
    private static final int MOST_PARALLEL = 1024;
    private static final int LEAST_IO = 4096;
    private static final int MOST_IO = 16 << 20;

    /** Checks. */
    public NfsOptions {
        if (parallel < 1 || parallel > MOST_PARALLEL) {
            throw new IllegalArgumentException("parallel is 1 to 1,024, not " + parallel);
        }
        if (ioSize < LEAST_IO || ioSize > MOST_IO) {
            throw new IllegalArgumentException("ioSize is 4,096 to 16,777,216 bytes, not " + ioSize);
        }
        if (!timeout.isPositive() || patience.isNegative()) {
            throw new IllegalArgumentException("timeout is more than 0, and patience is not negative");
        }
    }

    /**
     * User and group 0; 8 calls in flight, 1 MiB each; 20 s for a call; 100 s of patience, more than the usual grace period of 90 s.
     *
     * @return the options
     */
    public static NfsOptions defaults() {
        return new NfsOptions(0, 0, 8, 1 << 20, Duration.ofSeconds(20), Duration.ofSeconds(100));
    }

    /**
     * The same for another user.
     *
     * @param user  the uid
     * @param group the gid
     * @return the options
     */
    public NfsOptions withUser(int user, int group) {
        return new NfsOptions(user, group, parallel, ioSize, timeout, patience);
    }

    /**
     * The same with other calls.
     *
     * @param calls the most in flight, 1 to 1,024
     * @param bytes the most of each, 4,096 to 16,777,216
     * @return the options
     */
    public NfsOptions withTransfers(int calls, int bytes) {
        return new NfsOptions(uid, gid, calls, bytes, timeout, patience);
    }

    /**
     * The same with other waits.
     *
     * @param call    for a call
     * @param delayed for operations that the server puts off
     * @return the options
     */
    public NfsOptions withWaits(Duration call, Duration delayed) {
        return new NfsOptions(uid, gid, parallel, ioSize, call, delayed);
    }
}
