package org.panamaverbs.softiwarp;

import org.junit.jupiter.api.Tag;
import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;
import org.panamaverbs.testing.Proofs;

/** The contract over epoll without CRCs, with programs that spin on their completion queues. */
@Tag(Proofs.TAG)
class EpollSpinningContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return SoftIwarp.over("epoll").spinning();
    }
}
