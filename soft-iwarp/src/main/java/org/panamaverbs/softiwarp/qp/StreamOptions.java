package org.panamaverbs.softiwarp.qp;

/**
 * How a stream sends and receives FPDUs, as negotiated and configured.
 *
 * @param crc               whether CRCs are generated and checked
 * @param mulpdu            the longest DDP segment that we send, in bytes, header included
 * @param verifyBeforePlace whether the reader stages every FPDU and checks its CRC before it places the payload
 * @param elements          the most elements of a send request
 */
public record StreamOptions(boolean crc, int mulpdu, boolean verifyBeforePlace, int elements) {
}
