package org.panamaverbs.softiwarp;

import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract over epoll, with the CRCs that a network would have. */
class EpollContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return VerbsPair.of("epoll", SoftIwarp.settings("epoll", "crc", "on"));
    }
}
