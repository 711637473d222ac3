/** {@code pverbs perf}. A {@code Requester} and a {@code Target} are the two ends of a connection; a {@code Run} is what is timed over it. */
package org.panamaverbs.tools.perf;
