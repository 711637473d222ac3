/**
 * The headers of MPA, DDP and RDMAP as static functions over memory: one class a header, named offsets, big-endian and unaligned. Nothing
 * here checks, keeps or allocates; {@code at} is always where the header starts in its segment.
 *
 * <p>It may touch no other package.
 */
package org.panamaverbs.softiwarp.wire;
