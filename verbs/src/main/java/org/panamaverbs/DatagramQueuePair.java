package org.panamaverbs;

/**
 * A queue pair for unreliable datagrams ({@code ibv_qp}, UD): it sends to any and receives from any, one packet for each message, no
 * connection, and nobody is told of what is lost. {@link ProtectionDomain#createDatagramQueuePair} makes it, ready to send.
 *
 * <p>Everything that {@link QueuePair} says of posting, order and memory holds here too; a message is no longer than the port's
 * {@link PortAttributes#activeMtu()}. The first {@link #HEADER_LENGTH} bytes of each receive are for the packet's global routing header;
 * {@link Completions#byteLength()} counts them. {@link Completions#sourceQueuePairNumber()} says who sent it.
 */
public interface DatagramQueuePair extends ReceiveQueue, AutoCloseable {
    /** What a receive has to hold besides the message, in bytes. */
    int HEADER_LENGTH = 40;

    /**
     * The domain it belongs to.
     *
     * @return never changes
     */
    ProtectionDomain domain();

    /**
     * The number to which peers send.
     *
     * @return unique on its device
     */
    int number();

    /**
     * The key that datagrams to it must carry (Q_Key).
     *
     * @return 32 bits
     */
    int queueKey();

    /**
     * What it is made of.
     *
     * @return with the depths and lengths that it really has
     */
    QueuePairAttributes attributes();

    /**
     * Where it is in its life.
     *
     * @return as of now
     */
    QueuePairState state();

    /**
     * Posts a datagram.
     *
     * @param id       what the completion repeats
     * @param list     the parts; may be empty
     * @param to       the way
     * @param number   the receiver's {@link #number()}
     * @param queueKey the receiver's {@link #queueKey()}
     * @param flags    as for {@link QueuePair#postSend}
     * @return {@code false} where the queue is full
     */
    boolean postSend(long id, ScatterGatherList list, AddressHandle to, int number, int queueKey, int flags);

    /**
     * Posts a datagram with immediate data.
     *
     * @param id        what the completion repeats
     * @param list      the parts; may be empty
     * @param to        the way
     * @param number    the receiver's {@link #number()}
     * @param queueKey  the receiver's {@link #queueKey()}
     * @param immediate what {@link Completions#immediate()} tells the receiver
     * @param flags     as for {@link QueuePair#postSend}
     * @return {@code false} where the queue is full
     */
    boolean postSendImmediate(long id, ScatterGatherList list, AddressHandle to, int number, int queueKey, int immediate, int flags);

    /** Rings the doorbell: requests kept by {@link QueuePair#MORE} start. */
    void ring();

    /** Flushes what is outstanding to the completion queues, and closes it. */
    @Override
    void close();
}
