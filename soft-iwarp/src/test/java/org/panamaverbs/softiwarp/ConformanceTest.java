package org.panamaverbs.softiwarp;

import org.panamaverbs.testing.conformance.ConformanceTestCase;

class ConformanceTest extends ConformanceTestCase {
}
