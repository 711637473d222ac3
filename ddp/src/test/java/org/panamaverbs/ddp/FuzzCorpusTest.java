package org.panamaverbs.ddp;

import org.panamaverbs.testing.fuzz.CorpusTestCase;

class FuzzCorpusTest extends CorpusTestCase {
}
