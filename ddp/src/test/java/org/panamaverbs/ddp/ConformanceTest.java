package org.panamaverbs.ddp;

import org.panamaverbs.testing.conformance.ConformanceTestCase;

class ConformanceTest extends ConformanceTestCase {
}
