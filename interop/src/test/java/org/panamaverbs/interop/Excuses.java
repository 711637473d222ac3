package org.panamaverbs.interop;

import java.util.Map;

/** Tests of the contract that do not hold on a kernel device, each with the reason, by their names or the beginning of them. */
final class Excuses {
    private static final String IRD = "siw, when it accepts, serves as many Reads as the peer asks for, whatever its program says";

    private static final String INVALIDATED = "libsiw does not tell which key a peer has invalidated";

    static final Map<String, String> SIW = Map.of("ConnectionContract.shouldAgreeOnTheLesserDepthOfReads", IRD,
            "ConnectionContract.shouldRefuseReadsWhereThePeerServesNone", IRD,
            "SendReceiveContract.shouldInvalidateThePeersRegionWithASend",
            INVALIDATED);
    static final Map<String, String> RXE = Map.of("SendReceiveContract.shouldFailWhereTheReceiveIsTooShort",
            "rxe reports a receive that is too short as LOCAL_QP_OPERATION_ERROR");
    static final Map<String, String> SOFT_IWARP_TO_SIW = Map.of();
    static final Map<String, String> SIW_TO_SOFT_IWARP = Map.of();

    private Excuses() {
    }
}
