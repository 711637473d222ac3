package org.panamaverbs;

import java.util.Optional;
import org.panamaverbs.device.PathAttributes;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;

/**
 * A queue pair that connects by the peer's address, without a connection manager (InfiniBand and RoCE). Both programs create one with
 * {@link ProtectionDomain#createQueuePair}, exchange {@link #address()} by means of their own, and call {@link #connectTo}.
 *
 * <p>A peer that ends tells nobody: then requests fail with {@link CompletionStatus#RETRY_EXCEEDED} after the retries of the
 * {@link PathAttributes}, and a queue pair that only receives notices nothing. So the programs agree on the end by messages of their own.
 */
public interface AddressedQueuePair extends QueuePair {
    /** {@return the port, the source address and the partition that it was created with; never changes} */
    QueuePairPort port();

    /**
     * Its address, for the peer. The port is asked each time, since its identifiers can change; number and sequence number do not.
     *
     * @return as of now
     * @throws IllegalStateException if the place {@link QueuePairPort#sourceIndex()} is empty and the port has no LID
     * @throws ClosedException       if the queue pair is closed
     * @throws SystemException       if the port cannot be asked
     */
    QueuePairAddress address();

    /**
     * Connects it with the usual path, see {@link PathAttributes#defaults()}.
     *
     * @param remote the peer's address
     * @throws IllegalStateException    as {@link #connectTo(QueuePairAddress, PathAttributes)} says
     * @throws IllegalArgumentException if the port cannot reach such an address
     * @throws SystemException          if the device refuses
     */
    default void connectTo(QueuePairAddress remote) {
        connectTo(remote, PathAttributes.defaults());
    }

    /**
     * Connects it: it can send from then on, and takes requests of that peer alone ({@code ibv_modify_qp} to RTR, then to RTS). The peer need
     * not have connected yet: a request sent until then is sent again, as {@link PathAttributes#retries()} allows.
     *
     * <p>Nothing shows here whether the peer exists. If the device refuses the address, the queue pair stays as it was, and the program may
     * try another address or path. If the device refuses the second step, the queue pair becomes {@link QueuePairState#ERROR}.
     *
     * @param remote the peer's address
     * @param path   how to send to it
     * @throws IllegalStateException    if it is connected already, or has failed
     * @throws ClosedException          if it is closed, also while it connects
     * @throws IllegalArgumentException if the port cannot reach such an address, or a number exceeds a limit of the device or of the peer
     * @throws SystemException          if the device refuses; the message says which step, with which values
     */
    void connectTo(QueuePairAddress remote, PathAttributes path);

    /**
     * The failure that put it into {@link QueuePairState#ERROR}.
     *
     * @return empty until all its requests are flushed, and if it did not fail
     */
    Optional<VerbsException> failure();
}
