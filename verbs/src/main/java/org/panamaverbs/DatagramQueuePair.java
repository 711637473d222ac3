package org.panamaverbs;

import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.PortAttributes;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;

/**
 * A queue pair for datagrams ({@code ibv_qp}, UD): it sends to any and receives from any, one packet for each message, no connection, and no
 * side is notified of a loss. {@link ProtectionDomain#createDatagramQueuePair} creates one, ready to send.
 *
 * <p>Everything that {@link QueuePair} says of posting, order and memory holds here too. It sends datagrams only: a {@link SendRequest#send},
 * if need be with {@link SendRequest#immediate}, that names its receiver by {@link SendRequest#to} and {@link SendRequest#queueKey}. A message
 * is no longer than the port's
 * {@link PortAttributes#activeMtu()}. The first {@link #HEADER_LENGTH} bytes of each receive are for the packet's global routing header;
 * {@link Completions#byteLength()} counts them. {@link Completions#sourceQueuePairNumber()} names the sender.
 *
 * <p><b>Reliable datagrams</b> ({@link #isReliable()}, SRD of Amazon's EFA) come from
 * {@link ProtectionDomain#createReliableDatagramQueuePair}. The device sends a message again until the receiver has it, or the request fails;
 * messages may overtake each other. A message is no longer than {@link org.panamaverbs.device.DeviceAttributes#maximumMessageSize()}, and a
 * receive has no header, so that a sender's route is not in the message: the programs exchange {@link #address()}.
 *
 * {@snippet lang = java :
 * QueuePairPort port = QueuePairPort.of(1);
 * DatagramQueuePair pair = domain.createDatagramQueuePair(QueuePairAttributes.of(queue), port, 0x11111111);
 * pair.post(new ReceiveRequest().receive(1).local(region, 0, DatagramQueuePair.HEADER_LENGTH + 1024));
 * // The peer's address, number and Q_Key came over a channel of the programs.
 * AddressHandle route = domain.createAddressHandle(AddressVector.to(port, address));
 * pair.post(new SendRequest().send(2).local(region, 2048, 1024).to(route, number).queueKey(key).signaled());
 * }
 */
// Tested by DatagramContract.
public interface DatagramQueuePair extends QueuePair {
    /** The length that a receive of an unreliable datagram has to hold besides the message, in bytes. */
    int HEADER_LENGTH = 40;

    /** {@return whether the device sends a message again until the receiver has it; never changes} */
    @Incubating("no device has run reliable datagrams yet")
    default boolean isReliable() {
        return false;
    }

    /** {@return the length that each receive has to hold besides the message, in bytes: {@link #HEADER_LENGTH}, or 0 if it is reliable} */
    default int headerLength() {
        return isReliable() ? 0 : HEADER_LENGTH;
    }

    /**
     * Its address, for the peers: with {@link #number()}, {@link #queueKey()} and the address of the port at the place that the queue pair
     * was created with. The port is asked each time, since its identifiers can change.
     *
     * @return as of now; see {@link AddressVector#to(QueuePairPort, QueuePairAddress)}
     * @throws IllegalStateException if that place is empty and the port has no LID; or closed
     * @throws SystemException       if the port cannot be asked
     */
    QueuePairAddress address();

    /** {@return the key that datagrams to it must carry (Q_Key); 32 bits} */
    int queueKey();
}
