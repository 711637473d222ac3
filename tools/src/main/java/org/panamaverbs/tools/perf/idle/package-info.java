/** Connections of {@code pverbs perf} that carry nothing, at both ends, and the part of the listener's memory that they may take. */
package org.panamaverbs.tools.perf.idle;
