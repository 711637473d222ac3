package org.panamaverbs.softiwarp;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;
import org.panamaverbs.testing.Proofs;

/** The contract over the in-memory transport, with two event loops. */
@Tag(Proofs.TAG)
class InMemoryContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return VerbsPair.of("memory", SoftIwarp.settings("memory", "progress-threads", "2"))
                .excusing(Map.of("ListenContract.shouldFailToListenOnAnAddressOfAnotherMachine",
                        "the in-memory transport knows ports only", "RouteContract.shouldFailToConnectFromAnAddressOfAnotherMachine",
                        "the in-memory transport knows ports only"));
    }
}
