/**
 * The protocol without I/O: messages that an end of a connection sends for a call or a reply, and its reaction to those that it receives.
 * An {@code Endpoint} is both ends at once, {@code Requester} and {@code Responder}, since calls go in both directions (RFC 8167). Below it
 * is a {@code Link}, above it a {@code Dispatcher}; it knows no thread, clock or socket. A link calls its {@code on…} methods; threads of
 * the program call {@code call}, {@code cancel} and {@code reply}.
 */
package org.panamaverbs.rpcrdma.endpoint;
