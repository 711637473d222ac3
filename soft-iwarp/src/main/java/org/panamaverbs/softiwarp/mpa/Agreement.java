package org.panamaverbs.softiwarp.mpa;

import java.util.OptionalInt;
import org.panamaverbs.softiwarp.wire.MpaStart;

/**
 * The terms that both sides agreed on.
 *
 * @param crc         whether CRCs are used
 * @param markers     whether the peer asks for Markers in our FPDUs; we never ask for any
 * @param ird         how many Reads of the peer may be outstanding
 * @param ord         how many of our Reads may be outstanding
 * @param enhanced    whether the peer's frame has the fields of RFC 6581
 * @param irdNamed    the IRD that the peer's frame names, or -1 if it names none; a number, since an object would cost each idle connection
 *                    memory
 * @param ordNamed    the ORD that the peer's frame names, or -1 if it names none
 * @param ready       the ready-to-receive indication
 * @param privateData the peer's private data
 */
public record Agreement(boolean crc, boolean markers, int ird, int ord, boolean enhanced, int irdNamed, int ordNamed, ReadyIndication ready,
        byte[] privateData) {
    /** The agreement that follows from the peer's frame and from our terms. */
    static Agreement of(FrameReader peer, boolean crc, int ird, int ord, ReadyIndication ready) {
        return new Agreement(crc || peer.has(MpaStart.CRC), peer.has(MpaStart.MARKERS), ird, ord, peer.isEnhanced(), peer.ird().orElse(-1),
                peer.ord().orElse(-1), ready, peer.privateData());
    }

    /** The IRD that the peer's frame names, or empty if it names none. */
    public OptionalInt remoteIrd() {
        return optional(irdNamed);
    }

    /** The ORD that the peer's frame names, or empty if it names none. */
    public OptionalInt remoteOrd() {
        return optional(ordNamed);
    }

    private static OptionalInt optional(int depth) {
        return depth < 0 ? OptionalInt.empty() : OptionalInt.of(depth);
    }
}
