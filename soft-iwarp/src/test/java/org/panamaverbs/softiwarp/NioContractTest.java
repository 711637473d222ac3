package org.panamaverbs.softiwarp;

import org.junit.jupiter.api.Tag;
import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;
import org.panamaverbs.testing.Proofs;

/** The contract over NIO channels. */
@Tag(Proofs.TAG)
class NioContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return SoftIwarp.over("nio").excusing(SoftIwarp.NIO_EXCUSES);
    }
}
