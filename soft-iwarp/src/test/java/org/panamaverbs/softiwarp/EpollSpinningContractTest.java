package org.panamaverbs.softiwarp;

import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract over epoll, with programs that spin on their completion queues. */
class EpollSpinningContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return SoftIwarp.over("epoll").spinning();
    }
}
