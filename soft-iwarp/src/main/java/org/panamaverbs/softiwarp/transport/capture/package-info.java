/**
 * Captures byte streams: a multiplexer around another one, whose channels write their bytes to a file in the format pcapng, as TCP segments
 * of made-up connections. Without the setting no class of this package is loaded. This package may use {@code transport} and
 * {@code memory}.
 */
package org.panamaverbs.softiwarp.transport.capture;
