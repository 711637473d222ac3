package org.panamaverbs.softiwarp;

import java.util.HashMap;
import java.util.Map;
import org.panamaverbs.contract.VerbsPair;

/** Pairs of soft-iwarp for the contract suite. */
final class SoftIwarp {
    /** The contracts that Java's own channels cannot fulfil, and why. */
    static final Map<String, String> NIO_EXCUSES = Map.of("AllocationContract", "the JDK's channels allocate inside",
            "ListenContract.shouldListenAgainOnAnAddressThatWasGivenBack",
            "the JDK gives a listening socket back only at its selector's next turn");

    private SoftIwarp() {
    }

    /** Both ends over one transport. */
    static VerbsPair over(String transport) {
        return VerbsPair.of(transport, settings(transport));
    }

    /** The settings of one end: a transport, and names and values of others without their common prefix. */
    static Map<String, String> settings(String transport, String... others) {
        Map<String, String> settings = new HashMap<>(
                Map.of("panamaverbs.provider", "soft-iwarp", "panamaverbs.softiwarp.transport", transport));
        for (int i = 0; i < others.length; i += 2) {
            settings.put("panamaverbs.softiwarp." + others[i], others[i + 1]);
        }
        return settings;
    }
}
