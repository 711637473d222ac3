/** RPC records over TCP (RFC 5531, 11), within the limits of a service. */
package org.panamaverbs.rpcrdma.tcp;
