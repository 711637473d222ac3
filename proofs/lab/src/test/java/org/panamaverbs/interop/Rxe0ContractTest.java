package org.panamaverbs.interop;

import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract on the kernel's soft-RoCE. */
class Rxe0ContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return new KernelPair(KernelPair.End.RXE0, KernelPair.End.RXE0, Excuses.RXE);
    }
}
