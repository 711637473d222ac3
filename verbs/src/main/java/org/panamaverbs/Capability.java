package org.panamaverbs;

/** A feature that some devices have and others lack; ask {@link Device#supports(Capability)}. */
public enum Capability {
    /** Connections of a {@link org.panamaverbs.cm.ConnectionManager}. All devices have them but those of datagrams alone, as Amazon's EFA. */
    RELIABLE_CONNECTION("reliable connections"),
    /** Send with Invalidate: {@link SendRequest#invalidating}. */
    SEND_WITH_INVALIDATE("Send with Invalidate"),
    /** Invalidating regions, by the peer or locally, besides memory windows of type 2. */
    INVALIDATE_REGION("invalidating of regions"),
    /**
     * A peer may invalidate a region only if the region gives that peer the right ({@link RegistrationAttributes#withRemoteInvalidation}).
     * On a device that has {@link #INVALIDATE_REGION} but not this, each peer of the protection domain may.
     */
    INVALIDATION_RIGHT("a right to invalidate a region"),
    /** {@link SendRequest#localInvalidate}. */
    LOCAL_INVALIDATE("local invalidate"),
    /**
     * 32 bits of immediate data with a Send or a Write, as InfiniBand has them: {@link SendRequest#immediate}.
     */
    IMMEDIATE_DATA("immediate data"),
    /**
     * 32 bits of immediate data with a Write: {@link SendRequest#immediate}. A device with {@link #IMMEDIATE_DATA} has this
     * capability, unless it has datagrams alone. An iWARP device with RFC 7306 has it, too, but no immediate data with a Send.
     */
    WRITE_WITH_IMMEDIATE("Writes with immediate data"),
    /** Immediate Data messages of 8 bytes, as iWARP has them (RFC 7306, section 6): {@link SendRequest#immediateMessage}. */
    IMMEDIATE_MESSAGE("Immediate Data messages"),
    /** {@link SendRequest#compareAndSwap} and {@link SendRequest#fetchAndAdd}, atomic among all requests of the device. */
    ATOMIC("atomics"),
    /** {@link SendRequest#compareMask}, {@link SendRequest#swapMask} and {@link SendRequest#boundaries}. */
    MASKED_ATOMIC("masked atomics"),
    /** Atomics that are atomic also against the processor's own; soft-iwarp's are not on memory of a mapped file. */
    GLOBAL_ATOMIC("atomics that hold against the processor"),
    /** {@link ProtectionDomain#createSharedReceiveQueue}. */
    SHARED_RECEIVE_QUEUE("shared receive queues"),
    /** Memory windows that belong to a protection domain: {@link ProtectionDomain#allocateMemoryWindow}. */
    MEMORY_WINDOW_TYPE_1("memory windows of type 1"),
    /** Memory windows that belong to a queue pair once they are bound, and can be invalidated. */
    MEMORY_WINDOW_TYPE_2("memory windows of type 2"),
    /** Unreliable datagrams: {@link ProtectionDomain#createDatagramQueuePair}. */
    DATAGRAM("unreliable datagrams"),
    /** Reliable datagrams: {@link ProtectionDomain#createReliableDatagramQueuePair}. EFA has them (SRD). */
    @Incubating("no device has run reliable datagrams yet")
    RELIABLE_DATAGRAM("reliable datagrams"),
    /** Queue pairs that connect without a connection manager: {@link ProtectionDomain#createQueuePair}. InfiniBand and RoCE have them. */
    CONNECT_BY_ADDRESS("connecting of queue pairs by their addresses", "connect by org.panamaverbs.cm.ConnectionManager"),
    /** {@link CompletionChannel#descriptor()}, for programs that have an event loop of their own. */
    CHANNEL_DESCRIPTOR("descriptors of completion channels", "let a thread wait in CompletionChannel.await"),
    /** {@link Completions#timestamp()}, if {@link CompletionQueueAttributes#timestamps()} asked for it. */
    COMPLETION_TIMESTAMP("time stamps of completions"),
    /** {@link CompletionQueue#resize}. */
    RESIZE_COMPLETION_QUEUE("resizing of completion queues", "make the queue large enough when it is created"),
    /** A device that makes use of {@link Access#RELAXED_ORDERING}. */
    RELAXED_ORDERING("relaxed ordering"),
    /** Regions whose address for a peer the program chooses: {@link RegistrationAttributes#withAddress}. */
    REGION_ADDRESS("a choice of a region's address"),
    /** Regions whose key the program chooses: {@link RegistrationAttributes#withRemoteKey}. */
    REGION_KEY("a choice of a region's key"),
    /** Regions that are open to the peer of one queue pair alone: {@link RegistrationAttributes#withScope}. */
    REGION_SCOPE("regions of one queue pair"),
    /** Regions that are not pinned: {@link Access#ON_DEMAND}. */
    ON_DEMAND_PAGING("on-demand paging"),
    /** Regions of another device's memory: {@link ProtectionDomain#registerDmaBuf}. */
    DMA_BUF("dma-buf regions"),
    /** Reads scattered into more than one element of a list; iWARP takes one. */
    READ_SCATTER("Reads into several elements"),
    /** Reads into regions without {@link Access#REMOTE_WRITE}; iWARP hardware needs that right at the sink of a Read. */
    READ_WITHOUT_REMOTE_WRITE("Reads into regions without REMOTE_WRITE"),
    /** Waiting for a receive that the peer has yet to post; iWARP ends the connection instead. */
    RECEIVER_NOT_READY("waiting for a receive"),
    /** {@link org.panamaverbs.cm.ConnectionParameters#withAcknowledgementTimeout}: InfiniBand and RoCE; TCP has time-outs of its own. */
    ACKNOWLEDGEMENT_TIMEOUT("acknowledgement time-outs of connections"),
    /** {@link QueuePair#modifyRights}: InfiniBand and RoCE. */
    MODIFY_RIGHTS("changing the rights of a peer", "give regions no more rights than the peer needs"),
    /** {@link QueuePair#modifyRateLimit}: devices that pace reliable connections. */
    RATE_LIMIT("rate limits of queue pairs", "limit the rate of the program's requests"),
    /**
     * {@link org.panamaverbs.device.AddressVector#withFlowLabel} and {@link org.panamaverbs.device.PathAttributes#withFlowLabel}: InfiniBand and
     * RoCE. Connections of a connection manager have a label that the kernel chooses.
     */
    FLOW_LABEL("flow labels"),
    /**
     * Telling a connection that the peer ended because of an error from one that it ended in good order. Without it the failure of such a
     * connection may be empty: drivers of devices tell nobody of a Terminate that they receive, nor of every refusal that they send. A refusal
     * of one's own request then shows when its completion is polled, and the connection ends after that.
     */
    PEER_FAILURE("telling of a peer's failure");

    private final String text;
    private final String cure;

    Capability(String text) {
        this(text, "choose another device");
    }

    Capability(String text, String cure) {
        this.text = text;
        this.cure = cure;
    }

    /** {@return its name in a sentence; as "shared receive queues"} */
    public String text() {
        return text;
    }

    /**
     * The exception that a verb throws on a device without it.
     *
     * @param device the device
     * @return names the device and the feature that it lacks
     */
    public UnsupportedVerbException missingOn(Device device) {
        return new UnsupportedVerbException("device " + device.name() + " (" + device.provider() + ") has no " + text
                + ": ask Device.supports(Capability." + name() + ") first, or " + cure);
    }
}
