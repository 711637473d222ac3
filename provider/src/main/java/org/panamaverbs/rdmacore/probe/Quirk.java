package org.panamaverbs.rdmacore.probe;

import java.util.Set;

/**
 * A behaviour of one driver that differs from verbs. A device says by its vendor's number which driver it has: software devices have
 * numbers of their own. A requirement of a protocol is no quirk, and holds for each device of that protocol.
 */
public enum Quirk {
    /** The driver refuses a Read with a fence. A Read of iWARP needs none: the peer answers Reads in order (RFC 5040, 5.5). */
    REFUSES_FENCED_READ,
    /** The driver reports a request that follows a Read before the Read is done. So only the Read's own report says that the Read is done. */
    REPORTS_READ_LATE,
    /** The library refuses a receive that has no element. On other devices an element of no bytes may mean 2 GiB. */
    REFUSES_EMPTY_RECEIVE,
    /** A peer may invalidate the key of a region that {@code ibv_reg_mr} registered. Other drivers refuse that, whatever their flags say. */
    INVALIDATES_REGION,
    /** The driver ignores the address that the program chose for a region: the address in memory is the region's. */
    IGNORES_REGION_ADDRESS,
    /** The library loses the queue that the kernel maps at one place: see {@link LibsiwKeys}. */
    LOSES_QUEUE_KEY,
    /**
     * The library passes on the kernel's flags of a completion. The kernel's flag for an invalidated key has the value of
     * {@code IBV_WC_IP_CSUM_OK}.
     */
    REPORTS_KERNEL_FLAGS,
    /**
     * In memory that is paged on demand, the driver takes the beginning of a page for each place in it, so bytes are lost, and others beside the
     * region are overwritten ({@code __rxe_odp_mr_copy}, Linux 6.15 to 7.2).
     */
    MISPLACES_BYTES_ON_DEMAND,
    /** To the side that connects, the driver names IRD and ORD the other way round than other drivers of iWARP (connect_reply_upcall). */
    SWAPS_READ_DEPTHS,
    /** To the side that connects, the driver says 0 for IRD and ORD, whatever the peer has answered (erdma_cm_upcall). */
    HIDES_READ_DEPTHS,
    /** The driver answers no state of a queue pair (siw_query_qp): it leaves 0, which is RESET. */
    HIDES_STATE,
    /**
     * The library refuses a request that is not signalled, and one with another flag than IBV_SEND_SIGNALED and IBV_SEND_INLINE
     * (efa_post_send_validate). The device reports requests in any order.
     */
    REFUSES_SILENT_REQUEST,
    /** A device of iWARP that has immediate data all the same, with Sends and Writes (liberdma). */
    HAS_IMMEDIATE_DATA;

    /** siw: "bmt". */
    private static final int SIW = 0x626d74;
    private static final int RXE = 0xffffff;
    /** erdma. */
    private static final int ALIBABA = 0x1ded;
    /** cxgb4. */
    private static final int CHELSIO = 0x1425;
    /** rxe before Linux 5.10. */
    private static final int OLD_RXE = 0;

    /**
     * The quirks of a device.
     *
     * @param vendor {@code vendor_id} of its {@code ibv_device_attr}
     */
    static Set<Quirk> ofVendor(int vendor) {
        return switch (vendor) {
            case SIW -> Set.of(REFUSES_FENCED_READ, REPORTS_READ_LATE, REFUSES_EMPTY_RECEIVE, INVALIDATES_REGION, IGNORES_REGION_ADDRESS,
                    LOSES_QUEUE_KEY, HIDES_STATE);
            case RXE -> Set.of(REPORTS_KERNEL_FLAGS, MISPLACES_BYTES_ON_DEMAND);
            case OLD_RXE -> Set.of(REPORTS_KERNEL_FLAGS);
            case CHELSIO -> Set.of(SWAPS_READ_DEPTHS);
            case ConnectionCheck.AMAZON -> Set.of(REFUSES_SILENT_REQUEST);
            case ALIBABA -> Set.of(HAS_IMMEDIATE_DATA, HIDES_READ_DEPTHS);
            default -> Set.of();
        };
    }
}
