package org.panamaverbs.ddp.buffers;

/** Is told which bytes of a buffer were placed: a {@code PlacementListener}, for whom a source has a type. */
@FunctionalInterface
public interface PlacedBytes {
    /** Some bytes are in place; the source is what {@link Client#source} was given. */
    void onPlaced(long offset, int length, Object source);
}
