package org.panamaverbs.softiwarp;

import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract over memory that two processes could share: here both ends are in one. */
class SharedMemoryContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return SoftIwarp.over("shared-memory");
    }
}
