/**
 * The protocols of stream sockets, as a socket drives them: without I/O. {@code StreamProtocol} is the contract. The protocol over SCTP
 * stands with the sockets, because it shares a lock with its association.
 */
package org.panamaverbs.ddp.socket.protocol;
