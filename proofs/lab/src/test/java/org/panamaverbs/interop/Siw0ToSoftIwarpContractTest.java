package org.panamaverbs.interop;

import org.junit.jupiter.api.extension.ExtendWith;
import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract between the kernel's soft-iWARP, which connects, and ours. */
@ExtendWith(DriverState.class)
class Siw0ToSoftIwarpContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return new KernelPair(KernelPair.End.SIW0, KernelPair.End.SOFT_IWARP, Excuses.SIW_TO_SOFT_IWARP);
    }
}
