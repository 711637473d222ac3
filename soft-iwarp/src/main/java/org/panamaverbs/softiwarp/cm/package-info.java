/**
 * Making connections: TCP, then MPA's Request and Reply, on the event loop. What comes out is an
 * {@link org.panamaverbs.softiwarp.cm.Established} channel for a queue pair, or the reason why there is none.
 *
 * <p>It may touch {@code progress}, {@code transport}, {@code mpa} and {@code memory}, and none of the kinds of transport.
 */
package org.panamaverbs.softiwarp.cm;
