package org.panamaverbs.interop;

import org.junit.jupiter.api.extension.ExtendWith;
import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract between our soft-iWARP, which connects, and the kernel's, without CRCs. */
@ExtendWith(DriverState.class)
class SoftIwarpToSiw0WithoutCrcContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return new KernelPair(KernelPair.End.SOFT_IWARP_REVISION_1_WITHOUT_CRC, KernelPair.End.SIW0, Excuses.SOFT_IWARP_TO_SIW);
    }
}
