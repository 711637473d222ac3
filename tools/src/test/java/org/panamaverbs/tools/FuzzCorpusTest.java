package org.panamaverbs.tools;

import org.panamaverbs.testing.fuzz.CorpusTestCase;

class FuzzCorpusTest extends CorpusTestCase {
}
