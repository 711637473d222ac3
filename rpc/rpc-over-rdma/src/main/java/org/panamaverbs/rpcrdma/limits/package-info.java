/** What the peers of a service may take of it: settings, shares and counts. */
package org.panamaverbs.rpcrdma.limits;
