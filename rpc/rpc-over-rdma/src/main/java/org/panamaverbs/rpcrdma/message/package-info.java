/**
 * XDR streams of oncrpc4j that know which of their data are placed, and so are not part of the stream that is sent.
 */
package org.panamaverbs.rpcrdma.message;
