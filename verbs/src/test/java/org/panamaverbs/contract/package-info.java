/**
 * The contract suite: what the API promises, as tests that take a provider. Published as the test-jar of this module.
 *
 * <p>{@link org.panamaverbs.contract.VerbsContract} brings all themes. A provider, or a pair of them, is one class in the module that
 * tests it:
 *
 * {@snippet :
 * final class EpollContractTest extends VerbsContract {
 *     protected VerbsPair pair() {
 *         return VerbsPair.of("epoll", Map.of("panamaverbs.provider", "soft-iwarp", "panamaverbs.softiwarp.transport", "epoll"));
 *     }
 * }
 * }
 *
 * The client always connects to the server, never the other way round, so a pair of providers of which only one direction works is a
 * pair all the same; data flows both ways. A test of a capability that a device lacks is skipped with the reason, as is what {@link
 * org.panamaverbs.contract.VerbsPair#excuse} names: a known departure of that pair, said in words.
 *
 * <p>Every wait ends: what must happen is given {@link org.panamaverbs.contract.ContractTest#LIMIT}, what must not happen
 * {@link org.panamaverbs.contract.ContractTest#MOMENT}. No test sleeps in place of a condition.
 */
package org.panamaverbs.contract;
