/** Connections of {@code pverbs perf} that carry nothing, at both ends, and what they may take of the listener's memory. */
package org.panamaverbs.tools.perf.idle;
