package org.panamaverbs.ddp;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/**
 * The options of a socket or a listener. Start from {@link #DEFAULT}; each {@code with} method returns new options. An option that a
 * transport does not have is ignored.
 *
 * @param sendTimeout      how long a sending method waits for room; 30 s
 * @param receives         the most posted receives of the socket, 1 to 65,536; 256
 * @param indications      the most indications that wait for the program, 1 to 65,536; 1,024
 * @param ordered          UDP: whether messages carry sequence numbers, and receivers drop what comes late; {@code false}
 * @param payload          UDP: the most bytes of payload in a datagram, 1 to 65,507; if it is empty, as many as the MTU of the route or
 *                         interface takes
 * @param networkInterface UDP: the name of the interface to join and send a multicast group on; if it is empty, the system chooses
 * @param ttl              UDP: the time to live of datagrams to a multicast group, 0 to 255; 1
 * @param receiveBuffer    UDP: the size of the kernel's receive buffer in bytes, as much as the system allows of it; 8 MiB
 * @param seed             MEMORY: decides in which order messages arrive; 0
 * @param queues           MPA and SCTP: the number of queues for untagged messages, 1 to 256; 1
 * @param everyTagged      MPA and SCTP: whether every tagged message is indicated; {@code false}
 * @param crc              MPA: whether this side asks for CRCs (RFC 5044, 7.1.1); {@code true}
 * @param privateData      MPA and SCTP: private data for the peer, at most 512 bytes
 * @param admission        MPA and SCTP, listeners: whether to accept a peer with this private data; accepts all
 */
public record DdpOptions(Duration sendTimeout, int receives, int indications, boolean ordered, OptionalInt payload,
        Optional<String> networkInterface, int ttl, int receiveBuffer, long seed, int queues, boolean everyTagged, boolean crc,
        byte[] privateData,
        Predicate<byte[]> admission) {
    /** The defaults that the parameters name. */
    public static final DdpOptions DEFAULT = new DdpOptions(Duration.ofSeconds(30), 256, 1024, false, OptionalInt.empty(), Optional.empty(),
            1,
            8 << 20, 0, 1, false, true, new byte[0], data -> true);
    private static final int MOST = 65_536;
    private static final int LONGEST_PAYLOAD = 65_507;
    private static final int LONGEST_PRIVATE_DATA = 512;

    /** Checks the ranges. */
    public DdpOptions {
        if (sendTimeout.isNegative()) {
            throw new IllegalArgumentException("sendTimeout is 0 or more, not " + sendTimeout);
        }
        check("receives", receives, 1, MOST);
        check("indications", indications, 1, MOST);
        if (payload.isPresent()) {
            check("payload", payload.getAsInt(), 1, LONGEST_PAYLOAD);
        }
        Objects.requireNonNull(networkInterface, "networkInterface");
        check("ttl", ttl, 0, 255);
        check("receiveBuffer", receiveBuffer, 1, Integer.MAX_VALUE);
        check("queues", queues, 1, 256);
        if (privateData.length > LONGEST_PRIVATE_DATA) {
            throw new IllegalArgumentException("privateData has at most " + LONGEST_PRIVATE_DATA + " bytes, not " + privateData.length);
        }
        privateData = privateData.clone();
        Objects.requireNonNull(admission, "admission");
    }

    private static void check(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(option + " is " + least + " to " + most + ", not " + value);
        }
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /**
     * The same with another {@code sendTimeout}.
     *
     * @param sendTimeout as in the record
     * @return new options
     */
    public DdpOptions withSendTimeout(Duration sendTimeout) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code receives}.
     *
     * @param receives as in the record
     * @return new options
     */
    public DdpOptions withReceives(int receives) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code indications}.
     *
     * @param indications as in the record
     * @return new options
     */
    public DdpOptions withIndications(int indications) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code ordered}.
     *
     * @param ordered as in the record
     * @return new options
     */
    public DdpOptions withOrdered(boolean ordered) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code payload}.
     *
     * @param payload as in the record
     * @return new options
     */
    public DdpOptions withPayload(int payload) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, OptionalInt.of(payload), networkInterface, ttl, receiveBuffer,
                seed, queues, everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code networkInterface}.
     *
     * @param networkInterface as in the record
     * @return new options
     */
    public DdpOptions withNetworkInterface(String networkInterface) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, Optional.of(networkInterface), ttl, receiveBuffer, seed,
                queues, everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code ttl}.
     *
     * @param ttl as in the record
     * @return new options
     */
    public DdpOptions withTtl(int ttl) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code receiveBuffer}.
     *
     * @param receiveBuffer as in the record
     * @return new options
     */
    public DdpOptions withReceiveBuffer(int receiveBuffer) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code seed}.
     *
     * @param seed as in the record
     * @return new options
     */
    public DdpOptions withSeed(long seed) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code queues}.
     *
     * @param queues as in the record
     * @return new options
     */
    public DdpOptions withQueues(int queues) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code everyTagged}.
     *
     * @param everyTagged as in the record
     * @return new options
     */
    public DdpOptions withEveryTagged(boolean everyTagged) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code crc}.
     *
     * @param crc as in the record
     * @return new options
     */
    public DdpOptions withCrc(boolean crc) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code privateData}.
     *
     * @param privateData as in the record
     * @return new options
     */
    public DdpOptions withPrivateData(byte[] privateData) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }

    /**
     * The same with another {@code admission}.
     *
     * @param admission as in the record
     * @return new options
     */
    public DdpOptions withAdmission(Predicate<byte[]> admission) {
        return new DdpOptions(sendTimeout, receives, indications, ordered, payload, networkInterface, ttl, receiveBuffer, seed, queues,
                everyTagged, crc, privateData, admission);
    }
}
