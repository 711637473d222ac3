package org.panamaverbs.ddp.transport.sctp;

import com.sun.nio.sctp.Association;
import com.sun.nio.sctp.MessageInfo;
import com.sun.nio.sctp.SctpChannel;
import com.sun.nio.sctp.SctpSocketOption;
import com.sun.nio.sctp.SctpStandardSocketOptions;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Iterator;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.transport.MessageChannel;
import org.panamaverbs.softiwarp.transport.nio.NioConnection;

/**
 * An association as a {@link SctpChannel}. It keeps the last buffer of each direction and reuses it while the same segment comes, and the
 * description of what it sends. The JDK allocates a few objects for each message that it receives: description and address.
 */
// Tested by SctpTransportTest.
final class SctpMessageChannel extends NioConnection implements MessageChannel {
    /** In bytes; the system may give less. The chunks that fit into it are less than the 32,767 that may be in flight (RFC 5043, 10). */
    private static final int SOCKET_BUFFER = 2 << 20;
    private static final int USUAL_MTU = 1500;

    private final SctpChannel socket;
    private final AssociationEvents events = new AssociationEvents();
    private final MessageInfo sent = MessageInfo.createOutgoing((SocketAddress) null, 0).unordered(true);

    private MemorySegment receiving;
    private ByteBuffer receiveBuffer;
    private MemorySegment sending;
    private ByteBuffer sendBuffer;
    /** Whether parts of a message that was too long are still to come. */
    private boolean skipping;
    private MessageInfo received;

    private volatile int streams;

    SctpMessageChannel(SctpChannel socket, InetSocketAddress remote, boolean connected) throws IOException {
        super(socket, remote);
        this.socket = socket;
        if (connected) {
            onConnected();
        }
    }

    @Override
    protected boolean finish() throws IOException {
        return socket.finishConnect();
    }

    @Override
    protected void onConnected() throws IOException {
        Iterator<SocketAddress> addresses = socket.getAllLocalAddresses().iterator();
        Association association = socket.association();
        // There is none if the peer has left already: reading reports that.
        streams = association == null ? 0 : Math.min(association.maxInboundStreams(), association.maxOutboundStreams());
        established(addresses.hasNext() ? (InetSocketAddress) addresses.next() : NONE);
    }

    @Override
    protected String describe() {
        return "association " + Route.text(localAddress()) + " - " + Route.text(remoteAddress());
    }

    @Override
    public int receive(MemorySegment into) {
        if (!isEstablished()) {
            return unestablished();
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
                    arm(SelectionKey.OP_READ);
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
        if (!isEstablished()) {
            return unestablished();
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
        arm(SelectionKey.OP_WRITE);
        return 0;
    }

    @Override
    public int streams() {
        return streams;
    }

    @Override
    public int mtu() {
        try {
            NetworkInterface network = NetworkInterface.getByInetAddress(localAddress().getAddress());
            return network == null ? USUAL_MTU : network.getMTU();
        } catch (SocketException e) {
            return USUAL_MTU;
        }
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

    /** Sets the options of an association's socket. */
    static void setOptions(SctpChannel socket) throws IOException {
        socket.setOption(SctpStandardSocketOptions.SCTP_NODELAY, true);
        setBuffer(socket, SctpStandardSocketOptions.SO_SNDBUF);
        setBuffer(socket, SctpStandardSocketOptions.SO_RCVBUF);
    }

    private static void setBuffer(SctpChannel socket, SctpSocketOption<Integer> option) throws IOException {
        if (socket.getOption(option) < SOCKET_BUFFER) {
            socket.setOption(option, SOCKET_BUFFER);
        }
    }

    static void closeQuietly(Closeable socket) {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                // The caller reports another failure.
            }
        }
    }
}
