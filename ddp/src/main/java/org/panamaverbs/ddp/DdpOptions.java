package org.panamaverbs.ddp;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The options of a socket or a listener. Start from {@link #DEFAULT}; each {@code with} method returns new options, and throws {@link
 * IllegalArgumentException} if a value is out of its range. An option that a transport does not have is ignored.
 */
public final class DdpOptions {
    private static final int MOST = 65_536;
    private static final int LONGEST_PAYLOAD = 65_507;
    private static final int LONGEST_PRIVATE_DATA = 512;

    /** The defaults that the {@code with} methods name. */
    public static final DdpOptions DEFAULT = new DdpOptions(new Values());

    private final Values values;

    /** Not changed any more once options have it. */
    private static final class Values {
        private Duration sendTimeout = Duration.ofSeconds(30);
        private int receives = 256;
        private int indications = 1024;
        private boolean ordered;
        private OptionalInt payload = OptionalInt.empty();
        private Optional<String> networkInterface = Optional.empty();
        private int ttl = 1;
        private int receiveBuffer = 8 << 20;
        private long seed;
        private int queues = 1;
        private boolean everyTagged;
        private boolean crc = true;
        private byte[] privateData = {};
        private Predicate<byte[]> admission = data -> true;

        Values() {
            // The defaults.
        }

        Values(Values other) {
            sendTimeout = other.sendTimeout;
            receives = other.receives;
            indications = other.indications;
            ordered = other.ordered;
            payload = other.payload;
            networkInterface = other.networkInterface;
            ttl = other.ttl;
            receiveBuffer = other.receiveBuffer;
            seed = other.seed;
            queues = other.queues;
            everyTagged = other.everyTagged;
            crc = other.crc;
            privateData = other.privateData;
            admission = other.admission;
        }

        void check() {
            if (sendTimeout.isNegative()) {
                throw new IllegalArgumentException("sendTimeout is 0 or more, not " + sendTimeout);
            }
            check("receives", receives, 1, MOST);
            check("indications", indications, 1, MOST);
            if (payload.isPresent()) {
                check("payload", payload.getAsInt(), 1, LONGEST_PAYLOAD);
            }
            check("ttl", ttl, 0, 255);
            check("receiveBuffer", receiveBuffer, 1, Integer.MAX_VALUE);
            check("queues", queues, 1, 256);
            if (privateData.length > LONGEST_PRIVATE_DATA) {
                throw new IllegalArgumentException("privateData has at most " + LONGEST_PRIVATE_DATA + " bytes, not " + privateData.length);
            }
            Objects.requireNonNull(admission, "admission");
        }

        private static void check(String option, int value, int least, int most) {
            if (value < least || value > most) {
                throw new IllegalArgumentException(option + " is " + least + " to " + most + ", not " + value);
            }
        }
    }

    private DdpOptions(Values values) {
        values.check();
        this.values = values;
    }

    private DdpOptions with(Consumer<Values> change) {
        Values changed = new Values(values);
        change.accept(changed);
        return new DdpOptions(changed);
    }

    /**
     * The same with another time for which a sending method waits for room.
     *
     * @param timeout 0 or more; 30 s by default
     * @return new options
     */
    public DdpOptions withSendTimeout(Duration timeout) {
        return with(changed -> changed.sendTimeout = timeout);
    }

    /**
     * The same with another limit of posted receives. On a stream it holds for each queue.
     *
     * @param most 1 to 65,536; 256 by default
     * @return new options
     */
    public DdpOptions withReceives(int most) {
        return with(changed -> changed.receives = most);
    }

    /**
     * The same with another limit of indications that wait for the program.
     *
     * @param most 1 to 65,536; 1,024 by default
     * @return new options
     */
    public DdpOptions withIndications(int most) {
        return with(changed -> changed.indications = most);
    }

    /**
     * UDP: the same with or without sequence numbers in messages. With them, receivers drop a message that comes late.
     *
     * @param numbered {@code false} by default
     * @return new options
     */
    public DdpOptions withOrdered(boolean numbered) {
        return with(changed -> changed.ordered = numbered);
    }

    /**
     * UDP: the same with another limit of the payload of a datagram. By default it is as much as the MTU of the route or interface takes.
     *
     * @param most bytes, 1 to 65,507
     * @return new options
     */
    public DdpOptions withPayload(int most) {
        return with(changed -> changed.payload = OptionalInt.of(most));
    }

    /**
     * UDP: the same with an interface on which to join a multicast group and to send to it. By default the system chooses.
     *
     * @param name the name of the interface
     * @return new options
     */
    public DdpOptions withNetworkInterface(String name) {
        return with(changed -> changed.networkInterface = Optional.of(name));
    }

    /**
     * UDP: the same with another time to live of datagrams to a multicast group.
     *
     * @param hops 0 to 255; 1 by default
     * @return new options
     */
    public DdpOptions withTtl(int hops) {
        return with(changed -> changed.ttl = hops);
    }

    /**
     * UDP: the same with another size of the kernel's receive buffer. The system may allow less.
     *
     * @param size bytes, 1 or more; 8 MiB by default
     * @return new options
     */
    public DdpOptions withReceiveBuffer(int size) {
        return with(changed -> changed.receiveBuffer = size);
    }

    /**
     * MEMORY: the same with another seed, which decides in which order messages arrive.
     *
     * @param number any; 0 by default
     * @return new options
     */
    public DdpOptions withSeed(long number) {
        return with(changed -> changed.seed = number);
    }

    /**
     * MPA and SCTP: the same with another number of queues for untagged messages (RFC 5041, 4.3).
     *
     * @param number 1 to 256; 1 by default
     * @return new options
     */
    public DdpOptions withQueues(int number) {
        return with(changed -> changed.queues = number);
    }

    /**
     * MPA and SCTP: the same with an indication of every tagged message (RFC 5041, 5.4), or only of those that ask for one by {@link
     * DdpSocket#NOTIFY}.
     *
     * @param every {@code false} by default
     * @return new options
     */
    public DdpOptions withEveryTagged(boolean every) {
        return with(changed -> changed.everyTagged = every);
    }

    /**
     * MPA: the same with or without a request for CRCs. Frames have CRCs if either side asks (RFC 5044, 7.1.1).
     *
     * @param asked {@code true} by default
     * @return new options
     */
    public DdpOptions withCrc(boolean asked) {
        return with(changed -> changed.crc = asked);
    }

    /**
     * MPA and SCTP: the same with private data for the peer (RFC 5044, 7.1.1 and RFC 5043, 5.2.3).
     *
     * @param data at most 512 bytes; none by default
     * @return new options
     */
    public DdpOptions withPrivateData(byte[] data) {
        return with(changed -> changed.privateData = data.clone());
    }

    /**
     * MPA and SCTP, listeners: the same with another test of peers. A peer is rejected if the test fails or throws.
     *
     * @param test gets the private data of a peer; by default it accepts all
     * @return new options
     */
    public DdpOptions withAdmission(Predicate<byte[]> test) {
        return with(changed -> changed.admission = test);
    }

    /** {@return how long a sending method waits for room, 0 or more} */
    public Duration sendTimeout() {
        return values.sendTimeout;
    }

    /** {@return the most posted receives, 1 to 65,536; on a stream of each queue} */
    public int receives() {
        return values.receives;
    }

    /** {@return the most indications that wait for the program, 1 to 65,536} */
    public int indications() {
        return values.indications;
    }

    /** {@return UDP: whether messages carry sequence numbers} */
    public boolean ordered() {
        return values.ordered;
    }

    /** {@return UDP: the most bytes of payload in a datagram, 1 to 65,507; empty: as many as the MTU of the route or interface takes} */
    public OptionalInt payload() {
        return values.payload;
    }

    /** {@return UDP: the name of the interface for a multicast group; empty: the system chooses} */
    public Optional<String> networkInterface() {
        return values.networkInterface;
    }

    /** {@return UDP: the time to live of datagrams to a multicast group, 0 to 255} */
    public int ttl() {
        return values.ttl;
    }

    /** {@return UDP: the size of the kernel's receive buffer in bytes, 1 or more} */
    public int receiveBuffer() {
        return values.receiveBuffer;
    }

    /** {@return MEMORY: the seed that decides in which order messages arrive} */
    public long seed() {
        return values.seed;
    }

    /** {@return MPA and SCTP: the number of queues for untagged messages, 1 to 256} */
    public int queues() {
        return values.queues;
    }

    /** {@return MPA and SCTP: whether every tagged message is indicated} */
    public boolean everyTagged() {
        return values.everyTagged;
    }

    /** {@return MPA: whether this side asks for CRCs} */
    public boolean crc() {
        return values.crc;
    }

    /** {@return MPA and SCTP: a copy of the private data for the peer, 0 to 512 bytes} */
    public byte[] privateData() {
        return values.privateData.clone();
    }

    /** {@return MPA and SCTP, listeners: the test of a peer by its private data} */
    public Predicate<byte[]> admission() {
        return values.admission;
    }
}
