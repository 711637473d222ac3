package org.panamaverbs.device;

import java.util.Objects;

/**
 * The way to a queue pair for datagrams ({@code ibv_ah_attr}).
 *
 * @param port              the port to send from, 1 or more
 * @param sourceIndex       the place of the sender's own address among {@link PortAttributes#identifiers()}
 * @param destination       the receiver's address
 * @param localIdentifier   the receiver's LID, 0 to 65,535; 0 on Ethernet
 * @param serviceLevel      0 to 15
 * @param hopLimit          how many routers it may pass, 1 to 255
 * @param trafficClass      0 to 255
 */
public record AddressVector(int port, int sourceIndex, GlobalIdentifier destination, int localIdentifier, int serviceLevel, int hopLimit,
        int trafficClass) {
    /** Checks the ranges. */
    public AddressVector {
        Objects.requireNonNull(destination);
        within("port", port, 1, 255);
        within("sourceIndex", sourceIndex, 0, 255);
        within("localIdentifier", localIdentifier, 0, 0xFFFF);
        within("serviceLevel", serviceLevel, 0, 15);
        within("hopLimit", hopLimit, 1, 255);
        within("trafficClass", trafficClass, 0, 255);
    }

    private static void within(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + value + "; it is " + least + " to " + most);
        }
    }

    /**
     * The way to an address, over up to 64 routers.
     *
     * @param port        the port to send from
     * @param sourceIndex the place of the sender's own address among {@link PortAttributes#identifiers()}
     * @param destination the receiver's address
     * @return the way
     */
    public static AddressVector to(int port, int sourceIndex, GlobalIdentifier destination) {
        return new AddressVector(port, sourceIndex, destination, 0, 0, 64, 0);
    }

    /**
     * The way to a queue pair, over up to 64 routers.
     *
     * @param from     the port and the address to send from
     * @param receiver the receiver's address, as {@link org.panamaverbs.DatagramQueuePair#address()} gave it there
     * @return the way
     */
    public static AddressVector to(QueuePairPort from, QueuePairAddress receiver) {
        return new AddressVector(from.number(), from.sourceIndex(), receiver.identifier(), receiver.localIdentifier(), 0, 64, 0);
    }
}
