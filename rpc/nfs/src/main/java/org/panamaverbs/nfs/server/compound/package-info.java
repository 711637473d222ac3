/** COMPOUND (RFC 8881, 16.2): the operations of a call one after the other, the reply within its limits, each call executed once. */
package org.panamaverbs.nfs.server.compound;
