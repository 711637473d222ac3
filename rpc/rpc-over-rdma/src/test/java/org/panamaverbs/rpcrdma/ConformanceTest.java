package org.panamaverbs.rpcrdma;

import org.panamaverbs.testing.conformance.ConformanceTestCase;

class ConformanceTest extends ConformanceTestCase {
}
