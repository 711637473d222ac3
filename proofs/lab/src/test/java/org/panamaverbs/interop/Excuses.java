package org.panamaverbs.interop;

import java.util.HashMap;
import java.util.Map;

/** Tests of the contract that do not hold on a kernel device, each with the reason, by their names or the beginning of them. */
final class Excuses {
    private static final String PINNED = "the kernel pins what is registered, which is more than the lab's machine has memory";

    /** For pairs with one end of ours: the contract also holds there if it is tested without the lab. */
    private static final Map<String, String> OURS = reasons(
            "the lab's JVM has its first compiler only, which leaves on the heap what the second never makes: views of memory for one call",
            "AllocationContract");

    private static final Map<String, String> KERNEL = with(reasons(PINNED, "MemoryContract.shouldUseRegionsBeyondTwoGibibytes"),
            reasons("Linux cannot pin a file that is mapped read-only", "MemoryContract.shouldReceiveIntoAndSendFromMappedFiles"));

    /**
     * For pairs in which siw accepts. While iw_destroy_cm_id destroys a listener, cm_work_handler of iw_cm drops a request that waits for
     * it, and rejects it nowhere: its TCP connection stays established without an owner.
     */
    private static final Map<String, String> SIW_ACCEPTS = with(
            reasons("siw, when it accepts, serves as many Reads as the peer asks for, whatever its program says",
                    "ReadDepthContract.shouldAgreeOnTheLesserDepthOfReads", "ReadDepthContract.shouldRefuseReadsWhereThePeerServesNone"),
            reasons("Linux's iw_cm forgets a request that waits for it while its listener is destroyed, and its peer hears nothing",
                    "ListenContract.shouldDropRequestsThatAClosingListenerHasNotHandedOut"));

    /** For pairs in which the end that is invalidated, or refuses local requests, is siw: the tests' server. */
    private static final Map<String, String> SIW_SERVES = with(SIW_ACCEPTS,
            reasons("libsiw does not tell which key a peer has invalidated", "SendReceiveContract.shouldInvalidateThePeersRegionWithASend"),
            reasons("siw raises no event for a solicited receive alone",
                    "CompletionContract.shouldNotifyOfSolicitedReceivesOnlyWhereAsked"),
            reasons("siw lets a placement that is under way on another processor finish after the deregistration has returned",
                    "MemoryContract.shouldNotTouchARegionAgainOnceItsCloseReturned"),
            reasons("siw lets a peer read what is registered without REMOTE_READ", "HostilePeerContract.shouldRefuseARead [11] NO_RIGHT",
                    "HostilePeerContract.shouldRefuseARead [12] NO_RIGHTS_AT_ALL",
                    "HostilePeerContract.shouldFlushWhatIsPostedAfterTheFailure"),
            reasons("siw lets a peer go on that names a key which it cannot invalidate",
                    "HostilePeerContract.shouldRefuseToInvalidateAKeyThatNobodyHas",
                    "HostilePeerContract.shouldRefuseToInvalidateARegionOfAnotherDomain"),
            reasons("siw does not tell that a peer has invalidated a region: its requests fail as LOCAL_QP_OPERATION_ERROR",
                    "SendReceiveContract.shouldNotUseAnInvalidatedRegionLocally"));

    /** For pairs in which siw is the tests' client. */
    private static final Map<String, String> SIW_ASKS = with(KERNEL,
            reasons(PINNED, "MemoryContract.shouldRefuseAMessageLongerThanTheDeviceSays"),
            reasons("siw completes a Read that the peer refuses as FLUSHED", "RegionScopeContract.shouldRefuseEachOtherPeer [2] READ"));

    static final Map<String, String> SIW = with(SIW_SERVES, SIW_ASKS);
    /** Of the newest kernels, which the lab has with LAB_SUITE. */
    private static final Map<String, String> NEWER_RXE = with(reasons(PINNED, "MemoryContract.shouldRefuseAMessageLongerThanTheDeviceSays"),
            reasons("rxe of Linux 7.2 reports a request that it refuses itself as FLUSHED",
                    "MemoryContract.shouldNotSendFromARegionClosedAfterThePost",
                    "MemoryWindowContract.shouldFailToBindAWindowThatIsBound"));

    static final Map<String, String> RXE = with(KERNEL,
            Integer.parseInt(System.getProperty("os.version").split("\\.")[0]) < 7 ? Map.of() : NEWER_RXE,
            reasons("rxe reports a receive that is too short as LOCAL_QP_OPERATION_ERROR",
                    "SendReceiveContract.shouldFailWhereTheReceiveIsTooShort"),
            reasons("rxe checks an address against the region alone, not against the window onto it",
                    "MemoryWindowContract.shouldRefuseWhatLiesInTheRegionBut"));
    static final Map<String, String> SOFT_IWARP_TO_SIW = with(SIW_SERVES, KERNEL, OURS, reasons(
            "siw takes a Read for good whose end wraps around to below its region, and ends without a Terminate where it finds no page",
            "HostilePeerContract.shouldRefuseARead [8] WRAPPED", "HostilePeerContract.shouldRefuseARead [9] LAST_ADDRESS"),
            reasons("MPA revision 1 agrees on no depths of Reads", "ReadDepthContract.shouldAgreeOnTheDepthsOfReadsThatWereOffered",
                    "ReadDepthContract.shouldRefuseReadsWhereNoneWereAgreed"));
    /** With siw's peer_to_peer. */
    static final Map<String, String> SIW_PEER_TO_PEER = with(SIW_ASKS, OURS,
            reasons("siw, when it asks for the peer-to-peer model, asks for one Read if its program asks for none",
                    "ReadDepthContract.shouldAgreeOnTheLesserDepthOfReads [6]",
                    "ReadDepthContract.shouldAgreeOnTheLesserDepthOfReads [9]"));
    static final Map<String, String> SIW_TO_SOFT_IWARP = with(SIW_ASKS, OURS,
            reasons("siw does not ask for the peer-to-peer model: who accepts may not send before siw has (RFC 5044, 7.1.2)",
                    "ReadDepthContract.shouldRefuseReadsWhereNoneWereAgreed", "SendReceiveContract.shouldLetTheServerSendFirst",
                    "ConcurrencyContract.shouldLetVirtualThreadsDoEverything"));

    private Excuses() {
    }

    private static Map<String, String> reasons(String reason, String... tests) {
        Map<String, String> reasons = new HashMap<>();
        for (String test : tests) {
            reasons.put(test, reason);
        }
        return reasons;
    }

    @SafeVarargs
    private static Map<String, String> with(Map<String, String>... all) {
        Map<String, String> together = new HashMap<>();
        for (Map<String, String> some : all) {
            together.putAll(some);
        }
        return together;
    }
}
