package org.panamaverbs.interop;

import org.junit.jupiter.api.extension.ExtendWith;
import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract on the kernel's soft-iWARP. */
@ExtendWith(DriverState.class)
class Siw0ContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return new KernelPair(KernelPair.End.SIW0, KernelPair.End.SIW0, Excuses.SIW);
    }
}
