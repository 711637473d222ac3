/**
 * {@code pverbs decode}: prints the messages of iWARP connections from a pcap or pcapng file. It shares no code with soft-iwarp, and
 * {@code pverbs} stays a program of the public API. Each value in a file is checked before use.
 *
 * <p>A decoder with the code of soft-iwarp would repeat the mistakes of soft-iwarp and could not show them. {@code Limits} bounds
 * connections and memory, because the file may be hostile.
 */
package org.panamaverbs.tools.decode;
