/**
 * Markers PDU Aligned framing (RFC 5044, RFC 6581): the Request and Reply that start it, without I/O. The frames of full operation are
 * taken apart and put together by {@code qp}, with {@link org.panamaverbs.softiwarp.wire.Fpdu}.
 *
 * <p>It may touch {@code wire}.
 */
package org.panamaverbs.softiwarp.mpa;
