/**
 * The headers of MPA, DDP and RDMAP as static functions over memory: one class for each header, with named offsets, big-endian and
 * unaligned. They keep no state and do not check what they read; {@code at} is always the offset of the header in its segment.
 * {@link org.panamaverbs.softiwarp.wire.TerminateCode} lists the errors of all layers and describes them in words.
 */
package org.panamaverbs.softiwarp.wire;
