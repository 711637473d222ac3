package org.panamaverbs.sockets;

import org.panamaverbs.testing.fuzz.CorpusTestCase;

class FuzzCorpusTest extends CorpusTestCase {
}
