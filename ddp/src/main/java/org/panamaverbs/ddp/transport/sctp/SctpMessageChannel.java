package org.panamaverbs.ddp.transport.sctp;

import com.sun.nio.sctp.Association;
import com.sun.nio.sctp.MessageInfo;
import com.sun.nio.sctp.SctpChannel;
import com.sun.nio.sctp.SctpStandardSocketOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.Iterator;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.MessageChannel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;
import org.panamaverbs.softiwarp.transport.nio.NioSource;

/**
 * An association as a {@link SctpChannel}. It keeps the last buffer of each direction and reuses it while the same segment comes, and the
 * description of what it sends. The JDK allocates a few objects for each message that it receives: description and address.
 */
// Tested by SctpTransportTest.
final class SctpMessageChannel implements MessageChannel {
    private static final InetSocketAddress NONE = new InetSocketAddress(0);
    private static final int USUAL_MTU = 1500;

    private final SctpChannel socket;
    private final InetSocketAddress remote;
    private final NioSource source;
    private final AssociationEvents events = new AssociationEvents();
    private final MessageInfo sent = MessageInfo.createOutgoing((SocketAddress) null, 0).unordered(true);

    private MemorySegment receiving;
    private ByteBuffer receiveBuffer;
    private MemorySegment sending;
    private ByteBuffer sendBuffer;
    /** Whether parts of a message that was too long are still to come. */
    private boolean skipping;
    private MessageInfo received;

    private volatile InetSocketAddress local;
    private volatile int streams;
    private volatile boolean connected;
    private volatile boolean closed;
    private volatile IOException cause;
    private volatile String causedBy;

    SctpMessageChannel(SctpChannel socket, InetSocketAddress remote, boolean connected) throws IOException {
        this.socket = socket;
        this.remote = remote;
        source = new NioSource(socket);
        local = NONE;
        if (connected) {
            onConnected();
        }
    }

    private void onConnected() throws IOException {
        Iterator<SocketAddress> addresses = socket.getAllLocalAddresses().iterator();
        local = addresses.hasNext() ? (InetSocketAddress) addresses.next() : NONE;
        Association association = socket.association();
        // There is none if the peer has left already: reading reports that.
        streams = association == null ? 0 : Math.min(association.maxInboundStreams(), association.maxOutboundStreams());
        connected = true;
    }

    /** Watches the socket: for the end of connecting first, if it is not connected yet. Holds the lock of {@link #finishConnect}. */
    synchronized Registration register(NioMultiplexer multiplexer, Multiplexer.Handler handler) {
        return source.register(multiplexer, connected ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT, handler);
    }

    @Override
    public int finishConnect() {
        if (connected) {
            return closed ? BROKEN : 1;
        }
        synchronized (this) {
            if (cause != null) {
                return BROKEN;
            }
            try {
                if (!socket.finishConnect()) {
                    source.arm(SelectionKey.OP_CONNECT);
                    return 0;
                }
                onConnected();
                source.arm(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                return 1;
            } catch (IOException e) {
                return broke("connect", e);
            }
        }
    }

    @Override
    public int receive(MemorySegment into) {
        if (!connected) {
            return closed || cause != null ? BROKEN : 0;
        }
        if (receiving != into) {
            receiveBuffer = into.asByteBuffer();
            receiving = into;
        }
        try {
            int count;
            boolean whole;
            boolean tail;
            do {
                receiveBuffer.clear();
                received = socket.receive(receiveBuffer, null, events);
                if (received == null) {
                    if (events.lost() != null || events.isShutDown()) {
                        return ended();
                    }
                    source.arm(SelectionKey.OP_READ);
                    return 0;
                }
                count = received.bytes();
                if (count < 0) {
                    return ended();
                }
                whole = received.isComplete();
                tail = skipping;
                skipping = !whole;
            } while (tail);
            return whole ? count : TOO_LONG;
        } catch (IOException e) {
            return broke("receive", e);
        }
    }

    private int ended() {
        return events.lost() == null ? END_OF_ASSOCIATION : broke("receive", new SocketException(events.lost()));
    }

    @Override
    public int stream() {
        return received.streamNumber();
    }

    @Override
    public int protocol() {
        return received.payloadProtocolID();
    }

    @Override
    public boolean isUnordered() {
        return received.isUnordered();
    }

    @Override
    public int send(MemorySegment from, int length, int stream, int protocol) {
        if (!connected) {
            return closed || cause != null ? BROKEN : 0;
        }
        if (sending != from) {
            sendBuffer = from.asByteBuffer();
            sending = from;
        }
        sendBuffer.limit(length).position(0);
        try {
            if (socket.send(sendBuffer, sent.streamNumber(stream).payloadProtocolID(protocol)) > 0) {
                return 1;
            }
        } catch (IOException e) {
            return broke("send", e);
        }
        source.arm(SelectionKey.OP_WRITE);
        return 0;
    }

    private int broke(String call, IOException e) {
        if (cause == null) {
            causedBy = call;
            cause = e;
        }
        return BROKEN;
    }

    @Override
    public int streams() {
        return streams;
    }

    @Override
    public int mtu() {
        try {
            NetworkInterface network = NetworkInterface.getByInetAddress(local.getAddress());
            return network == null ? USUAL_MTU : network.getMTU();
        } catch (SocketException e) {
            return USUAL_MTU;
        }
    }

    @Override
    public VerbsException failure() {
        IOException known = cause;
        String association = "association " + Route.text(local) + " - " + Route.text(remote);
        if (closed && (known == null || known instanceof ClosedChannelException)) {
            return new ClosedException(association + " was closed here");
        }
        return known == null ? new ClosedException(association + " is not broken") : Failures.of(association, causedBy, known);
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public void shutdown() {
        try {
            socket.shutdown();
        } catch (IOException e) {
            // The association is broken or closed already: receive and send report that.
        }
    }

    @Override
    public void abort() {
        try {
            socket.setOption(SctpStandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            // The socket is closed already.
        }
        close();
    }

    @Override
    public void close() {
        closed = true;
        source.close();
    }
}
