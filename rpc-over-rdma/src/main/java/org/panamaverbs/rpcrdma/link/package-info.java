/**
 * Endpoints over verbs: {@code VerbsLink} is the link of one connection, with its queue pair and registered memory; a {@code Reactor} takes
 * the completions of several links. This package may use {@code endpoint}, {@code wire} and verbs.
 */
package org.panamaverbs.rpcrdma.link;
