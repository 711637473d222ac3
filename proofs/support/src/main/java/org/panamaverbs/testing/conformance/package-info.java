/**
 * Registers of requirements. Each specification has a table in {@code src/test/conformance}: a row for each sentence with MUST, MUST NOT,
 * SHALL, SHALL NOT, REQUIRED, SHOULD, SHOULD NOT or RECOMMENDED. A test that shows that a requirement is kept names its row by
 * {@link org.panamaverbs.testing.conformance.Requirement}; the table answers the others.
 * {@link org.panamaverbs.testing.conformance.ConformanceTestCase} checks both, and writes {@code docs/conformance}.
 */
package org.panamaverbs.testing.conformance;
