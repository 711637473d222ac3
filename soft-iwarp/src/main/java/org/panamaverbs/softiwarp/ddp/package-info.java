/**
 * Direct Data Placement (RFC 5041): {@link org.panamaverbs.softiwarp.ddp.DdpReceiver} decides where the payload of a segment goes,
 * {@link org.panamaverbs.softiwarp.ddp.DdpTransmitter} cuts messages into segments. DDP sees the layers above and below only as
 * {@link org.panamaverbs.softiwarp.ddp.UpperLayer} and {@link org.panamaverbs.softiwarp.ddp.LowerLayer}: it knows neither RDMAP nor MPA.
 */
package org.panamaverbs.softiwarp.ddp;
