/**
 * Fuzzing by Jazzer. A target is a class of the tests whose name ends in {@code Fuzz}, with a method
 * {@code public static void fuzzerTestOneInput(byte[])} that throws if something is wrong. Its corpus lies in {@code src/test/fuzz/}, in a
 * folder of the class's name. Ordinary builds replay the corpora ({@link org.panamaverbs.testing.fuzz.CorpusTestCase}); profile
 * {@code fuzz} runs {@link org.panamaverbs.testing.fuzz.FuzzRunCase}, which needs Jazzer on the class path.
 */
package org.panamaverbs.testing.fuzz;
