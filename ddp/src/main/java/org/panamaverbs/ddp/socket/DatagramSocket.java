package org.panamaverbs.ddp.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.ddp.DdpDatagramSocket;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.MessageSizes;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.ddp.ddpp.Ddpp;
import org.panamaverbs.ddp.ddpp.DdppTransmitter;
import org.panamaverbs.ddp.socket.protocol.SocketCounters;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.OutboundDatagrams;

/** A socket of DDPP core over UDP. */
final class DatagramSocket extends DrivenSocket implements DdpDatagramSocket {
    private static final int BATCH = 256;
    private static final int UDP_HEADER = 8;
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int LONGEST_PACKET = 65_535;

    private final DatagramPort port;
    private final InetSocketAddress remote;
    private final SocketCounters counters = new SocketCounters();
    private final DatagramIntake intake;

    // Only the sending thread uses these.
    private final OutboundDatagrams out;
    private final DdppTransmitter transmitter;
    private InetSocketAddress lastTo;
    private int lastPayload;

    /**
     * Makes a socket; {@link #attach} starts it.
     *
     * @param remote the destination, or {@code null}
     * @param memory as in {@link AbstractSocket}
     */
    DatagramSocket(SoftDdpGroup group, DdpOptions options, EventLoop loop, DatagramPort port, InetSocketAddress remote, Arena memory) {
        super(group, DdpTransport.UDP, options, loop, Client.Protocol.DDPP, memory);
        this.out = new OutboundDatagrams(memory, BATCH, Ddpp.DECORATED_SIZE);
        this.port = port;
        this.remote = remote;
        this.intake = new DatagramIntake(memory, port, client(), counters, context().newSourceTable());
        this.transmitter = new DdppTransmitter(1, 0, options.ordered());
    }

    /** Directs the port's events here. */
    void attach() {
        loop().call(() -> {
            if (!isReleased()) {
                loop().add(this);
            }
        });
        loop().multiplexer().add(port, this);
    }

    @Override
    public String describe() {
        return "the UDP socket at " + Route.text(port.localAddress());
    }

    // Receiving, by the leader.

    @Override
    boolean receives() {
        return isStarted() && !isReleased() && !isClosed() && !isBroken();
    }

    @Override
    void receive() {
        readable(receives() && !pauses() && intake.receive());
    }

    @Override
    void onEnd() {
        // The peers see no end.
    }

    // Sending, by the thread that has the turn.

    private InetSocketAddress destination() {
        if (remote == null) {
            throw new IllegalStateException(describe() + " has no destination: name one in the call, or open the socket by connect");
        }
        return remote;
    }

    @Override
    public void send(MemorySegment message, long offset, long length) {
        send(destination(), message, offset, length);
    }

    @Override
    public void send(InetSocketAddress to, MemorySegment message, long offset, long length) {
        checkMessage(message, offset, length);
        turn().begin();
        try {
            turn().await();
            checkSending();
            limit(to);
            checkUntagged(length, lastPayload + Ddpp.DECORATED_SIZE - Ddpp.UNDECORATED_SIZE);
            transmitter.beginUndecorated(length);
            transmit(to, message, offset, length);
        } finally {
            turn().end();
        }
    }

    @Override
    public void sendDdp(MemorySegment message, long offset, long length, int stag, long taggedOffset, int flags, int messageId) {
        sendDdp(destination(), message, offset, length, stag, taggedOffset, flags, messageId);
    }

    @Override
    public void sendDdp(InetSocketAddress to, MemorySegment message, long offset, long length, int stag, long taggedOffset, int flags,
            int messageId) {
        checkMessage(message, offset, length);
        checkIdentifier(flags, messageId, Ddpp.MOST_IDENTIFIER);
        turn().begin();
        try {
            turn().await();
            checkSending();
            limit(to);
            checkTagged(length, flags, lastPayload);
            transmitter.beginDecorated(length, stag, taggedOffset, (flags & NOTIFY) != 0, messageId, false);
            transmit(to, message, offset, length);
        } finally {
            turn().end();
        }
    }

    /** Finds the longest parts for a destination; asks the system only if the destination changes. */
    private void limit(InetSocketAddress to) {
        if (to.equals(lastTo)) {
            return;
        }
        Objects.requireNonNull(to);
        lastPayload = payload(to);
        lastTo = to;
        transmitter.limit(lastPayload, lastPayload + Ddpp.DECORATED_SIZE - Ddpp.UNDECORATED_SIZE);
    }

    private int payload(InetSocketAddress to) {
        int headers = (to.getAddress() instanceof Inet4Address ? IPV4_HEADER : IPV6_HEADER) + UDP_HEADER + Ddpp.DECORATED_SIZE;
        int most = LONGEST_PACKET - headers;
        if (options().payload().isPresent()) {
            return Math.min(options().payload().getAsInt(), most);
        }
        return Math.clamp(port.mtu(to) - headers, 1, most);
    }

    private void transmit(InetSocketAddress to, MemorySegment message, long offset, long length) {
        try {
            while (transmitter.isUnderWay() || !out.isEmpty()) {
                while (transmitter.isUnderWay() && !out.isFull()) {
                    long from = offset + transmitter.position();
                    int payload = transmitter.nextPart(out.headers(), out.nextHeader());
                    out.add(transmitter.headerSize(), message, from, payload);
                }
                send(to);
            }
            counters.messagesSent++;
            counters.bytesSent += length;
        } finally {
            transmitter.drop();
            out.clear();
        }
    }

    private void send(InetSocketAddress to) {
        if (gate().isShut()) {
            turn().await();
            checkSending();
        }
        int before = gate().openings();
        int taken = port.send(to, out);
        counters.partsSent += switch (taken) {
            case DatagramPort.FAILED -> throw port.failure();
            case DatagramPort.BAD_MEMORY ->
                throw new IllegalStateException("the arena of the message is closed, or its file was cut short");
            case DatagramPort.TOO_LONG -> throw new IllegalArgumentException(
                    describe() + ": the system cannot send datagrams of " + (lastPayload + Ddpp.DECORATED_SIZE) + " bytes to "
                            + Route.text(to) + ": set a smaller payload (DdpOptions.withPayload)");
            default -> taken;
        };
        // If some were taken, the next call says whether the port is full: after an error no event follows.
        if (taken == 0) {
            gate().shut(before);
        }
    }

    @Override
    public MessageSizes maximumSizes() {
        int payload = remote == null ? options().payload().orElse(LONGEST_PACKET - IPV4_HEADER - UDP_HEADER - Ddpp.DECORATED_SIZE)
                : payload(remote);
        return new MessageSizes(payload + Ddpp.DECORATED_SIZE - Ddpp.UNDECORATED_SIZE, payload);
    }

    @Override
    public InetSocketAddress localAddress() {
        return port.localAddress();
    }

    @Override
    public Optional<InetSocketAddress> remoteAddress() {
        return Optional.ofNullable(remote);
    }

    @Override
    public DdpCounters counters() {
        return counters.snapshot(client().placed(), indications().total());
    }

    @Override
    public void shutdownOutput() {
        // Datagrams have no end.
    }

    // The end.

    @Override
    void onClose() {
        turn().close();
        loop().call(() -> {
            onSilent();
            release();
        });
    }

    @Override
    void onRelease() {
        port.close();
    }
}
