package org.panamaverbs.softiwarp.qp;

/**
 * How a stream sends and receives FPDUs, as negotiated and configured.
 *
 * @param crc               whether CRCs are generated and checked
 * @param markers           whether our FPDUs contain Markers
 * @param mulpdu            the longest DDP segment that we send at first, in bytes, header included
 * @param verifyBeforePlace whether the reader stages every FPDU and checks its CRC before it places the payload
 * @param elements          the most elements of a send request
 * @param extensions        whether the stream takes the messages of RFC 7306
 */
public record StreamOptions(boolean crc, boolean markers, int mulpdu, boolean verifyBeforePlace, int elements, boolean extensions) {
    /** Options of a stream that takes the messages of RFC 7306. */
    public StreamOptions(boolean crc, boolean markers, int mulpdu, boolean verifyBeforePlace, int elements) {
        this(crc, markers, mulpdu, verifyBeforePlace, elements, true);
    }
}
