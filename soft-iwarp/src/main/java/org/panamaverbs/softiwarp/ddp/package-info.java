/**
 * Direct Data Placement (RFC 5041): cutting messages into segments, and deciding where an inbound segment's payload goes. It knows
 * neither what the layer above means by a message ({@link org.panamaverbs.softiwarp.ddp.UpperLayer}) nor what carries the segments.
 *
 * <p>It may touch {@code memory} and {@code wire}.
 */
package org.panamaverbs.softiwarp.ddp;
