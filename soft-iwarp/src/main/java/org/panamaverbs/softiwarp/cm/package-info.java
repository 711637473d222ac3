/**
 * Connection management on the event loop: TCP, then MPA's Request and Reply. An {@link org.panamaverbs.softiwarp.cm.Opening} hands the
 * channel over to a taker, or says why there is no connection. This package may use
 * {@code progress}, {@code mpa}, {@code memory}, and {@code transport} without any of its kinds.
 */
package org.panamaverbs.softiwarp.cm;
