package org.panamaverbs.device;

/**
 * The place of a queue pair on its device: the port, the port's address that it sends from, and its partition.
 *
 * @param number            the port, 1 to 255
 * @param sourceIndex       the place of its own address in the port's table, 0 to 255: {@link PortAddress#index()}
 * @param partitionKeyIndex the place of its partition key in the port's table, 0 to 65,535: see {@link org.panamaverbs.Device#partitionKeys}. Place 0 has the
 *                          default partition; RoCE has no other
 */
public record QueuePairPort(int number, int sourceIndex, int partitionKeyIndex) {
    /** Checks the ranges. */
    public QueuePairPort {
        QueuePairAddress.within("the port", number, 1, 255);
        QueuePairAddress.within("the source index", sourceIndex, 0, 255);
        QueuePairAddress.within("the partition key's index", partitionKeyIndex, 0, 0xFFFF);
    }

    /**
     * A port, its first address, and the default partition.
     *
     * @param number the port, 1 to 255
     * @return the place
     */
    public static QueuePairPort of(int number) {
        return new QueuePairPort(number, 0, 0);
    }

    /**
     * The port that has an address, and the default partition.
     *
     * @param source the address to send from; {@link org.panamaverbs.Device#addresses} lists those of a port
     * @return the place
     */
    public static QueuePairPort of(PortAddress source) {
        return new QueuePairPort(source.port(), source.index(), 0);
    }

    /**
     * The same in another partition.
     *
     * @param index the place of the partition key in the port's table, 0 to 65,535
     * @return the place
     */
    public QueuePairPort withPartitionKey(int index) {
        return new QueuePairPort(number, sourceIndex, index);
    }
}
