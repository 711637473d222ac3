package org.panamaverbs.tools.decode;

/**
 * A packet as a file has it.
 *
 * @param number   counts from 1, as tshark's does
 * @param nanos    since 1970, or whatever the file says
 * @param linkType says which header comes first
 * @param bytes    what the file has of it
 * @param length   its length on the wire in bytes; not less than what the file has
 */
record Frame(long number, long nanos, int linkType, byte[] bytes, int length) {
}
