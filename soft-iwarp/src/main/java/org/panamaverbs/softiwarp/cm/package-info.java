/**
 * Connection management on the event loop: TCP, then MPA's Request and Reply. The result is an
 * {@link org.panamaverbs.softiwarp.cm.Established} connection for a queue pair, or the reason why there is none. This package may use
 * {@code progress}, {@code mpa}, {@code lifecycle}, {@code memory}, and {@code transport} without any of its kinds.
 */
package org.panamaverbs.softiwarp.cm;
