/** Keeps connections within the limits of their service. */
package org.panamaverbs.rpcrdma.gate;
