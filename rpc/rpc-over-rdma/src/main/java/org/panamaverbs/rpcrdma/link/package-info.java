/**
 * Endpoints over verbs: {@code VerbsLink} is the link of one connection, with its queue pair and registered memory; a {@code Reactor} takes
 * the completions of several links.
 *
 * <p>Each connection has a protection domain of its own, because keys that one peer learned are worth nothing on another connection. So
 * memory that a program keeps registered is registered once for each connection that uses it. A reactor serves up to eight connections: its
 * thread, or a caller that waits for an answer, decodes answers and completes futures. Calls of the peer run in
 * platform threads of their own, or in the executor of the service.
 */
package org.panamaverbs.rpcrdma.link;
