/**
 * {@code pverbs perf}. A {@code Requester} and a {@code Target} are the two ends of a connection; a {@code Run} is what is timed over it.
 *
 * <p>A {@code Plan} is what the active end asks for, an {@code Offer} the answer. Each thread of a {@code Team} drives an
 * {@code ActiveSide}, and all begin to count at once ({@code Course}), after a {@code WarmUp} that ends when both JVMs are steady. The passive end counts by its own clock in its {@code Tally}. It
 * sees neither Writes nor Reads, so the active end asks for the tally each second. If the program of the active end says nothing, the
 * passive end ends the connection, even if the peer's device takes messages.
 */
package org.panamaverbs.tools.perf;
