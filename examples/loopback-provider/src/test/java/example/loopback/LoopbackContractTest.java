package example.loopback;

import java.util.Map;
import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract of all providers. */
class LoopbackContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return VerbsPair.of("loopback", Map.of("panamaverbs.provider", "loopback"));
    }
}
