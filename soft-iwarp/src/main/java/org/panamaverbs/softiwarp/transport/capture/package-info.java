/**
 * Captures byte streams: a multiplexer around another one, whose channels write what they carry to a file in the format pcapng, as TCP
 * segments of made-up connections. Without the setting none of these classes is loaded.
 */
package org.panamaverbs.softiwarp.transport.capture;
