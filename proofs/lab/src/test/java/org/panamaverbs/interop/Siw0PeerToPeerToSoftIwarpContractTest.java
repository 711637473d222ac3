package org.panamaverbs.interop;

import org.junit.jupiter.api.extension.ExtendWith;
import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract between the kernel's soft-iWARP, which connects by the peer-to-peer model, and ours, without CRCs. */
@ExtendWith(DriverState.class)
class Siw0PeerToPeerToSoftIwarpContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return new KernelPair(KernelPair.End.SIW0, KernelPair.End.SOFT_IWARP_WITHOUT_CRC, Excuses.SIW_PEER_TO_PEER);
    }
}
