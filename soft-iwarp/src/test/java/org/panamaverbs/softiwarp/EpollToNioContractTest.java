package org.panamaverbs.softiwarp;

import org.junit.jupiter.api.Tag;
import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;
import org.panamaverbs.testing.Proofs;

/** The contract between a client over epoll which asks for CRCs, and a server over NIO channels, which has two event loops. */
@Tag(Proofs.TAG)
class EpollToNioContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return VerbsPair.of("epoll to nio", SoftIwarp.settings("epoll", "crc", "on"), SoftIwarp.settings("nio", "progress-threads", "2"))
                .excusing(SoftIwarp.NIO_EXCUSES);
    }
}
