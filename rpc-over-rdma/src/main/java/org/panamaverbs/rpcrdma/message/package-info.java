/**
 * XDR streams of oncrpc4j that know which of their data are placed, and so are not part of the stream that is sent. This package may use
 * no other package of this module.
 */
package org.panamaverbs.rpcrdma.message;
