package org.panamaverbs.rpcrdma;

import org.panamaverbs.testing.fuzz.CorpusTestCase;

class FuzzCorpusTest extends CorpusTestCase {
}
