/**
 * Making connections: TCP, then MPA's Request and Reply, on the event loop. What comes out is an
 * {@link org.panamaverbs.softiwarp.cm.Established} channel for a queue pair, or the reason why there is none.
 */
package org.panamaverbs.softiwarp.cm;
