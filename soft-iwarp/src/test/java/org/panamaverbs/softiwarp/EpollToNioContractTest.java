package org.panamaverbs.softiwarp;

import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract between a client over epoll and a server over NIO channels. */
class EpollToNioContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return SoftIwarp.over("epoll", "nio").excusing(SoftIwarp.NIO_EXCUSES);
    }
}
