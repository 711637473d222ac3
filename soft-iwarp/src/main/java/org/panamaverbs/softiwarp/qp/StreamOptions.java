package org.panamaverbs.softiwarp.qp;

/**
 * How a stream sends and receives FPDUs, as negotiated and configured.
 *
 * @param crc               whether CRCs are generated and checked
 * @param markers           whether our FPDUs contain Markers
 * @param mulpdu            the longest DDP segment that we send at first, in bytes, header included
 * @param verifyBeforePlace whether the reader stages every FPDU and checks its CRC before it places the payload
 * @param elements          the most elements of a send request
 */
public record StreamOptions(boolean crc, boolean markers, int mulpdu, boolean verifyBeforePlace, int elements) {
}
