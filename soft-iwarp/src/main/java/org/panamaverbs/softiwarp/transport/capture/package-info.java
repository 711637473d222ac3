/**
 * Captures byte streams: a multiplexer around another one, whose channels write their bytes to a file in the format pcapng, as TCP segments
 * of made-up connections. Without the setting no class of this package is loaded.
 *
 * <p>A captured channel wraps the real one, because every byte of a stream goes through its channel at a time when the thread has entered
 * the registered memory; no other thread may read that memory. A thread of the capture writes the file: an interrupt of a program's thread
 * would close the {@code FileChannel}. If both ends are in one process, the capture has the end that connects first, because Wireshark
 * would take the second copy for retransmissions.
 */
package org.panamaverbs.softiwarp.transport.capture;
