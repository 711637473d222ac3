package org.panamaverbs.ddp;

/**
 * The traffic of a socket since it was opened: carried and dropped. A socket that drops a message neither places nor indicates nor answers it.
 *
 * @param messagesSent     messages that this side submitted
 * @param bytesSent        payload of the messages sent
 * @param partsSent        messages of the transport that carried them: datagrams, segments or frames
 * @param partsReceived    messages of the transport that came, the dropped ones included
 * @param bytesPlaced      payload that was placed into registered buffers, each time that it was placed
 * @param indications      indications that were queued for the program
 * @param malformed        dropped: another version or kind, or shorter than its header
 * @param unknownStags     dropped: the STag is not registered on the socket or its group
 * @param outOfBounds      dropped: some byte lies outside the buffer
 * @param late             dropped on ordered datagrams: not newer than what was delivered before
 * @param withoutReceive   dropped: untagged, and no receive was posted
 * @param tooLong          dropped: untagged, and longer than the posted receive
 * @param refusedByBuffers dropped: {@link DdpBuffer#set} threw an exception, or memory of the buffer could not be used
 */
public record DdpCounters(long messagesSent, long bytesSent, long partsSent, long partsReceived, long bytesPlaced, long indications,
        long malformed, long unknownStags, long outOfBounds, long late, long withoutReceive, long tooLong, long refusedByBuffers) {
    /**
     * All messages of the transport that were dropped.
     *
     * @return the sum of the reasons
     */
    public long dropped() {
        return malformed + unknownStags + outOfBounds + late + withoutReceive + tooLong + refusedByBuffers;
    }
}
