package org.panamaverbs.softiwarp;

import org.panamaverbs.testing.fuzz.CorpusTestCase;

class FuzzCorpusTest extends CorpusTestCase {
}
