/**
 * JMH benchmarks of soft-iwarp: placement, headers, checksums, queues, and posting and polling through the API. {@code benchmarks/run}
 * runs them ({@link org.panamaverbs.benchmarks.Benchmarks}); {@code benchmarks/README.md} says how to read what they print.
 */
package org.panamaverbs.benchmarks;
