package org.panamaverbs.tools.decode;

/**
 * A packet as a file has it.
 *
 * @param number   counts from 1, as tshark counts
 * @param nanos    since 1970, or since another time that the file uses
 * @param linkType the type of the first header
 * @param bytes    the bytes that the file has
 * @param length   its length on the wire in bytes; not less than the number in the file
 */
record Frame(long number, long nanos, int linkType, byte[] bytes, int length) {
}
