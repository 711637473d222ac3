/**
 * Connection management on the event loop: TCP, then MPA's Request and Reply. An {@link org.panamaverbs.softiwarp.cm.Opening} hands the
 * channel over to a taker, or says why there is no connection.
 */
package org.panamaverbs.softiwarp.cm;
