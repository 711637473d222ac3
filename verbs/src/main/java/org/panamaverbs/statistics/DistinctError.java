package org.panamaverbs.statistics;

import java.time.Instant;

/**
 * Errors that are alike, counted.
 *
 * @param text  the message of the last of them; addresses in it are those of that one
 * @param count how many, 1 or more
 * @param first when the first came
 * @param last  when the last came
 */
public record DistinctError(String text, long count, Instant first, Instant last) {
}
