package org.panamaverbs.softiwarp;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;
import org.panamaverbs.testing.Proofs;

/**
 * The contract with everything set that the others leave alone: small frames from the client and frames that fit TCP segments from the
 * server, no CRC asked for by the server, placement after the check at the client, two event loops.
 */
@Tag(Proofs.TAG)
class SegmentedContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return VerbsPair
                .of("other settings", SoftIwarp.settings("epoll", "fpdu", "1024", "crc", "on", "verify-before-place", "on"),
                        SoftIwarp.settings("epoll", "fpdu", "segment", "crc", "off", "progress-threads", "2"))
                .excusing(Map.of("StatisticsContract.shouldPlaceLong", "frames as short as these are read many at a time, and staged"));
    }
}
