/**
 * Markers PDU Aligned framing (RFC 5044, RFC 6581), a lower layer of DDP: {@link org.panamaverbs.softiwarp.mpa.FpduWriter} and
 * {@link org.panamaverbs.softiwarp.mpa.FpduReader} for full operation, and {@link org.panamaverbs.softiwarp.mpa.Handshake} for the Request
 * and Reply that start it. No I/O. It may touch {@code ddp}, {@code memory} and {@code wire}.
 */
package org.panamaverbs.softiwarp.mpa;
