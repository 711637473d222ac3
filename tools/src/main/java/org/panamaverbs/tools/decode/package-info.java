/**
 * {@code pverbs decode}: prints what iWARP connections carry, from a file of pcap or pcapng. It shares no code with soft-iwarp: so it can
 * contradict it, and {@code pverbs} stays a program of the public API. All that a file says is checked before it counts.
 */
package org.panamaverbs.tools.decode;
