package org.panamaverbs.tools.decode;

import java.net.InetSocketAddress;
import java.util.Map;

/**
 * A message, or another event of a stream.
 *
 * @param packet the number of the packet that completed it
 * @param nanos  the time of that packet
 * @param kind   request, reply, fpdu, lost or end
 * @param fields for programs
 * @param text   for people
 */
record Entry(long packet, long nanos, InetSocketAddress from, InetSocketAddress to, String kind, Map<String, Object> fields, String text) {
}
