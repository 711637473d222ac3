package org.panamaverbs.interop;

import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract on the kernel's soft-RoCE, posting and polling by the extended calls. */
class Rxe0ExtendedContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return new KernelPair(KernelPair.End.RXE0_EXTENDED, KernelPair.End.RXE0_EXTENDED, Excuses.RXE);
    }
}
