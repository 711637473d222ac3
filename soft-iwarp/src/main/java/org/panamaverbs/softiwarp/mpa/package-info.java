/**
 * Marker PDU Aligned framing (RFC 5044, RFC 6581), a lower layer of DDP. {@link org.panamaverbs.softiwarp.mpa.FpduWriter} and
 * {@link org.panamaverbs.softiwarp.mpa.FpduReader} serve full operation; {@link org.panamaverbs.softiwarp.mpa.Handshake} exchanges the
 * Request and the Reply that start it. No I/O.
 */
package org.panamaverbs.softiwarp.mpa;
