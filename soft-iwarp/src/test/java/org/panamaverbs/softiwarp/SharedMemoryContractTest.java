package org.panamaverbs.softiwarp;

import org.junit.jupiter.api.Tag;
import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;
import org.panamaverbs.testing.Proofs;

/** The contract over memory that two processes could share: here both ends are in one. */
@Tag(Proofs.TAG)
class SharedMemoryContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return SoftIwarp.over("shared-memory");
    }
}
