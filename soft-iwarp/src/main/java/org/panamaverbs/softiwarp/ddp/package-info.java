/**
 * Direct Data Placement (RFC 5041): {@link org.panamaverbs.softiwarp.ddp.DdpReceiver} decides where the payload of a segment goes,
 * {@link org.panamaverbs.softiwarp.ddp.DdpTransmitter} cuts messages into segments. Above it is an
 * {@link org.panamaverbs.softiwarp.ddp.UpperLayer}, below it a {@link org.panamaverbs.softiwarp.ddp.LowerLayer}: it knows neither RDMAP nor
 * MPA. It may touch {@code memory} and {@code wire}.
 */
package org.panamaverbs.softiwarp.ddp;
