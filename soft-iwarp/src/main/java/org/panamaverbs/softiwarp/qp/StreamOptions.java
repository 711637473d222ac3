package org.panamaverbs.softiwarp.qp;

/**
 * How a stream frames, as agreed and configured.
 *
 * @param crc               whether FPDUs carry a CRC that counts
 * @param mulpdu            the longest DDP segment that we send, header included
 * @param verifyBeforePlace whether an FPDU is placed only after its CRC was checked, which stages it
 * @param elements          the most parts of a send request
 */
public record StreamOptions(boolean crc, int mulpdu, boolean verifyBeforePlace, int elements) {
}
