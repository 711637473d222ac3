package org.panamaverbs.sockets;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.VerbsException;
import org.panamaverbs.sockets.protocol.PrivateData;
import org.panamaverbs.sockets.protocol.StreamCore;

/**
 * The memory of one stream, in a protection domain of its own: a first block with the table that the peer writes to, the ranges that the
 * peer fills, and the blocks that are sent.
 */
final class StreamMemory {
    private final ProtectionDomain domain;
    private final Grants grants;
    private final SendMemory sends;

    /** @throws org.panamaverbs.VerbsException if the device has no domain or region left; nothing is kept then */
    StreamMemory(Device device, BlockPool pool, StreamOptions options) {
        domain = device.allocateProtectionDomain();
        try {
            grants = new Grants(pool, domain, options.receiveBuffer());
            sends = new SendMemory(pool, domain, grants.first(), options.sendBuffer());
        } catch (VerbsException | OutOfMemoryError e) {
            domain.close();
            throw e;
        }
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** {@return the region of the first block} */
    MemoryRegion region() {
        return grants.first().region();
    }

    private MemorySegment table() {
        return grants.first().memory().asSlice(MessagePort.TABLE, StreamCore.TABLE_LENGTH);
    }

    private int rest() {
        return grants.first().size() - MessagePort.REST;
    }

    Grants grants() {
        return grants;
    }

    SendMemory sends() {
        return sends;
    }

    /**
     * What the peer must know of this memory.
     *
     * @param carries whether messages may carry bytes, if the peer says that, too
     */
    PrivateData privateData(boolean carries) {
        MemoryRegion region = region();
        return new PrivateData(false, MessagePort.CREDITS, region.address() + MessagePort.TABLE, region.remoteKey(), StreamCore.GRANTS,
                region.address() + MessagePort.REST, region.remoteKey(), rest(), carries);
    }

    /** {@return the protocol of a stream over this memory} */
    StreamCore core(PrivateData peer, boolean bySends, boolean carries) {
        return new StreamCore(peer, table(), MessagePort.CREDITS, rest(), bySends, carries);
    }

    /** Gives all back, once the queue pair is closed. */
    void release() {
        grants.release();
        sends.release();
        domain.close();
    }
}
