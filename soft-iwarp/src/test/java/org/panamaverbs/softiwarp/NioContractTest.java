package org.panamaverbs.softiwarp;

import org.panamaverbs.contract.VerbsContract;
import org.panamaverbs.contract.VerbsPair;

/** The contract over NIO channels. */
class NioContractTest extends VerbsContract {
    @Override
    protected VerbsPair pair() {
        return SoftIwarp.over("nio").excusing(SoftIwarp.NIO_EXCUSES);
    }
}
