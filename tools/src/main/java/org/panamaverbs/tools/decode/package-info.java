/**
 * {@code pverbs decode}: prints the messages of iWARP connections from a pcap or pcapng file. It shares no code with soft-iwarp. So it can
 * show mistakes of soft-iwarp, and {@code pverbs} stays a program of the public API. Each value in a file is checked before use.
 */
package org.panamaverbs.tools.decode;
