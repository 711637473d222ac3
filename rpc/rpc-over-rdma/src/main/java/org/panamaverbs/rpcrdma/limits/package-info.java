/**
 * What the peers of a service may take of it: settings, shares and counts. {@link org.panamaverbs.rpcrdma.limits.ServiceLimits} has the
 * limits, of connections, calls, memory and time; {@link org.panamaverbs.rpcrdma.limits.ServiceCounts} says how much of them is used, and
 * how many peers were refused or gave way. A {@link org.panamaverbs.rpcrdma.limits.Budget} divides one resource between the networks of
 * peers, so that one of them cannot take all.
 */
package org.panamaverbs.rpcrdma.limits;
