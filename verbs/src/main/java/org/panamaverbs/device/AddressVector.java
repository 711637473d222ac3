package org.panamaverbs.device;

import java.util.Objects;

/** The route to a queue pair for datagrams ({@code ibv_ah_attr}); created by {@link #to} and the {@code with} methods. */
// Tested by QueuePairAddressTest.
public final class AddressVector {
    private final Values values;

    private record Values(int port, int sourceIndex, GlobalIdentifier destination, int localIdentifier, int serviceLevel, int hopLimit,
            int trafficClass, int flowLabel) {
        Values {
            Objects.requireNonNull(destination);
            within("port", port, 1, 255);
            within("sourceIndex", sourceIndex, 0, 255);
            within("localIdentifier", localIdentifier, 0, 0xFFFF);
            within("serviceLevel", serviceLevel, 0, 15);
            within("hopLimit", hopLimit, 1, 255);
            within("trafficClass", trafficClass, 0, 255);
            within("flowLabel", flowLabel, 0, 0xFFFFF);
        }
    }

    private AddressVector(Values values) {
        this.values = values;
    }

    private static void within(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + value + "; it is " + least + " to " + most);
        }
    }

    /**
     * The route to an address, over up to 64 routers.
     *
     * @param port        the port to send from
     * @param sourceIndex the place of the sender's own address among {@link PortAttributes#identifiers()}
     * @param destination the receiver's address
     * @return the address vector
     */
    public static AddressVector to(int port, int sourceIndex, GlobalIdentifier destination) {
        return new AddressVector(new Values(port, sourceIndex, destination, 0, 0, 64, 0, 0));
    }

    /**
     * The route to a queue pair, over up to 64 routers.
     *
     * @param from     the port and the address to send from
     * @param receiver the receiver's address, as {@link org.panamaverbs.DatagramQueuePair#address()} gave it there
     * @return the address vector
     */
    public static AddressVector to(QueuePairPort from, QueuePairAddress receiver) {
        return new AddressVector(
                new Values(from.number(), from.sourceIndex(), receiver.identifier(), receiver.localIdentifier(), 0, 64, 0, 0));
    }

    /**
     * The same to a LID.
     *
     * @param lid 0 to 65,535; 0 on Ethernet
     * @return the address vector
     */
    public AddressVector withLocalIdentifier(int lid) {
        return new AddressVector(new Values(values.port, values.sourceIndex, values.destination, lid, values.serviceLevel, values.hopLimit,
                values.trafficClass, values.flowLabel));
    }

    /**
     * The same with another service level.
     *
     * @param level 0 to 15
     * @return the address vector
     */
    public AddressVector withServiceLevel(int level) {
        return new AddressVector(new Values(values.port, values.sourceIndex, values.destination, values.localIdentifier, level,
                values.hopLimit, values.trafficClass, values.flowLabel));
    }

    /**
     * The same with another number of routers that a packet may pass.
     *
     * @param hops 1 to 255
     * @return the address vector
     */
    public AddressVector withHopLimit(int hops) {
        return new AddressVector(new Values(values.port, values.sourceIndex, values.destination, values.localIdentifier,
                values.serviceLevel, hops, values.trafficClass, values.flowLabel));
    }

    /**
     * The same with another traffic class.
     *
     * @param traffic 0 to 255
     * @return the address vector
     */
    public AddressVector withTrafficClass(int traffic) {
        return new AddressVector(new Values(values.port, values.sourceIndex, values.destination, values.localIdentifier,
                values.serviceLevel, values.hopLimit, traffic, values.flowLabel));
    }

    /**
     * The same with another flow label (IPv6's, RFC 6437): packets of one label stay in order, and routers may send labels by several paths.
     * On RoCE version 2 the source port of UDP follows from it.
     *
     * @param label 0 to 0xFFFFF; 0 leaves the choice to the device. Another one needs {@link org.panamaverbs.Capability#FLOW_LABEL}
     * @return the address vector
     */
    public AddressVector withFlowLabel(int label) {
        return new AddressVector(new Values(values.port, values.sourceIndex, values.destination, values.localIdentifier,
                values.serviceLevel, values.hopLimit, values.trafficClass, label));
    }

    /** {@return the port to send from, 1 or more} */
    public int port() {
        return values.port;
    }

    /** {@return the place of the sender's own address among {@link PortAttributes#identifiers()}} */
    public int sourceIndex() {
        return values.sourceIndex;
    }

    /** {@return the receiver's address} */
    public GlobalIdentifier destination() {
        return values.destination;
    }

    /** {@return the receiver's LID, 0 to 65,535; 0 on Ethernet} */
    public int localIdentifier() {
        return values.localIdentifier;
    }

    /** {@return the service level, 0 to 15} */
    public int serviceLevel() {
        return values.serviceLevel;
    }

    /** {@return how many routers it may pass, 1 to 255} */
    public int hopLimit() {
        return values.hopLimit;
    }

    /** {@return the traffic class, 0 to 255} */
    public int trafficClass() {
        return values.trafficClass;
    }

    /** {@return the flow label, 0 to 0xFFFFF; 0 if the device chooses it} */
    public int flowLabel() {
        return values.flowLabel;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AddressVector that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "AddressVector." + values;
    }
}
