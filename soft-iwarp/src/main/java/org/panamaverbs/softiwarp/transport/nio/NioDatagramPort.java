package org.panamaverbs.softiwarp.transport.nio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.Locale;
import org.panamaverbs.ClosedException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.transport.DatagramBinding;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.InboundDatagrams;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.OutboundDatagrams;
import org.panamaverbs.softiwarp.transport.SourceAddresses;

/**
 * A UDP port as a {@link DatagramChannel}, on any system that runs Java. Each datagram takes a system call and, when it is sent, a copy. NIO
 * makes an address object when a datagram has another source than the one before it. The number of dropped datagrams is not known, and a
 * port on {@code ::} also receives IPv4.
 */
final class NioDatagramPort implements DatagramPort {
    private static final int LONGEST = 65_535;
    /** Windows cannot. */
    private static final boolean BINDS_TO_GROUPS = !System.getProperty("os.name").startsWith("Windows");

    // A raw source: port, scope, and 4 or 16 bytes of address.
    private static final int SCOPE = 4;
    private static final int ADDRESS = 8;

    private final DatagramChannel socket;
    private final InetSocketAddress local;
    /** The interface for groups, or {@code null}. */
    private final NetworkInterface groups;
    private final NioSource source;
    private final SourceAddresses addresses = new SourceAddresses(NioDatagramPort::decode);

    // For the receiving thread.
    private InboundDatagrams batch;
    private ByteBuffer batchBuffer;
    private InetSocketAddress lastSource;
    private final MemorySegment lastRaw = MemorySegment.ofArray(new long[(ADDRESS + 16) / Long.BYTES]);
    private int lastLength;
    // For the sending thread.
    private final ByteBuffer stageBuffer = ByteBuffer.allocate(LONGEST);
    private final MemorySegment stage = MemorySegment.ofBuffer(stageBuffer);

    private volatile Cause cause;

    private record Cause(String call, IOException exception) {
    }

    private NioDatagramPort(DatagramChannel socket, InetSocketAddress local, NetworkInterface groups) {
        this.socket = socket;
        this.local = local;
        this.groups = groups;
        source = new NioSource(socket);
    }

    static NioDatagramPort open(DatagramBinding binding) {
        String action = binding.describe();
        String name = binding.interfaceName();
        NetworkInterface groups = name.isEmpty() ? null : Failures.requireInterface(action, name);
        DatagramChannel socket = null;
        String call = "open";
        try {
            InetSocketAddress local = binding.local();
            socket = DatagramChannel.open(NioMultiplexer.family(local));
            socket.configureBlocking(false);
            call = "setOption";
            socket.setOption(StandardSocketOptions.IP_MULTICAST_TTL, binding.timeToLive());
            socket.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
            if (groups != null) {
                socket.setOption(StandardSocketOptions.IP_MULTICAST_IF, groups);
            }
            if (binding.receiveBuffer() > 0) {
                socket.setOption(StandardSocketOptions.SO_RCVBUF, binding.receiveBuffer());
            }
            if (binding.isGroup()) {
                socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            }
            call = "bind";
            socket.bind(binding.isGroup() && !BINDS_TO_GROUPS ? new InetSocketAddress(local.getPort()) : scoped(local, groups));
            if (binding.isGroup()) {
                call = "join";
                socket.join(local.getAddress(), groups == null ? interfaceTo(local) : groups);
            }
            return new NioDatagramPort(socket, (InetSocketAddress) socket.getLocalAddress(), groups);
        } catch (IOException e) {
            NioMultiplexer.closeQuietly(socket);
            throw Failures.of(action, call, e);
        } catch (UnsupportedOperationException e) {
            NioMultiplexer.closeQuietly(socket);
            throw new SystemException(action + ": this machine has no IPv6: use an IPv4 address", e);
        }
    }

    /** Gives an IPv6 group the interface as its scope, if it has none: a group of the local network does not say which one. */
    private static InetSocketAddress scoped(InetSocketAddress local, NetworkInterface groups) throws UnknownHostException {
        if (groups != null && local.getAddress() instanceof Inet6Address ip && ip.isMulticastAddress() && ip.getScopeId() == 0) {
            return new InetSocketAddress(Inet6Address.getByAddress(null, ip.getAddress(), groups.getIndex()), local.getPort());
        }
        return local;
    }

    void register(NioMultiplexer multiplexer, Multiplexer.Handler handler) {
        source.register(multiplexer, SelectionKey.OP_READ | SelectionKey.OP_WRITE, handler);
    }

    @Override
    public int receive(InboundDatagrams into) {
        into.begin(addresses);
        if (batch != into) {
            batch = into;
            batchBuffer = into.memory().asByteBuffer();
        }
        try {
            for (int slot = 0; slot < into.slots(); slot++) {
                // The byte after the slot shows that a datagram was longer.
                int start = into.slotOffset(slot);
                batchBuffer.limit(start + into.slotSize() + 1).position(start);
                InetSocketAddress from = (InetSocketAddress) socket.receive(batchBuffer);
                if (from == null) {
                    source.arm(SelectionKey.OP_READ);
                    break;
                }
                encode(from);
                MemorySegment.copy(lastRaw, 0, into.sources(), into.slotSource(slot), lastLength);
                int length = batchBuffer.position() - start;
                into.present(length, length, lastLength);
            }
        } catch (IOException e) {
            // The operation is disarmed still, and the caller waits for an event.
            source.arm(SelectionKey.OP_READ);
            return into.size() > 0 ? into.size() : failed("receive", e);
        }
        if (into.size() == 0 && !into.hasFreeSlot()) {
            // All were truncated, and there may be more.
            source.arm(SelectionKey.OP_READ);
        }
        return into.size();
    }

    private void encode(InetSocketAddress from) {
        if (from == lastSource) {
            return;
        }
        byte[] bytes = from.getAddress().getAddress();
        lastRaw.set(ValueLayout.JAVA_INT, 0, from.getPort());
        lastRaw.set(ValueLayout.JAVA_INT, SCOPE, from.getAddress() instanceof Inet6Address ip ? ip.getScopeId() : 0);
        MemorySegment.copy(bytes, 0, lastRaw, ValueLayout.JAVA_BYTE, ADDRESS, bytes.length);
        lastLength = ADDRESS + bytes.length;
        lastSource = from;
    }

    private static InetSocketAddress decode(MemorySegment memory, long offset, int length) {
        try {
            byte[] bytes = memory.asSlice(offset + ADDRESS, length - ADDRESS).toArray(ValueLayout.JAVA_BYTE);
            int scope = memory.get(ValueLayout.JAVA_INT, offset + SCOPE);
            InetAddress address = bytes.length == 16 ? Inet6Address.getByAddress(null, bytes, scope == 0 ? -1 : scope)
                    : InetAddress.getByAddress(bytes);
            return new InetSocketAddress(address, memory.get(ValueLayout.JAVA_INT, offset));
        } catch (UnknownHostException e) {
            throw new AssertionError("4 and 16 bytes are addresses", e);
        }
    }

    @Override
    public int send(InetSocketAddress to, OutboundDatagrams from) {
        Failures.requireResolved(to);
        requireFamily(to);
        int total = 0;
        while (!from.isEmpty()) {
            int result = sendFirst(to, from);
            if (result == 1) {
                from.remove(1);
                total++;
            } else {
                if (result == 0) {
                    source.arm(SelectionKey.OP_WRITE);
                }
                // The datagrams that were taken count; the next call reports the error.
                return total > 0 ? total : result;
            }
        }
        return total;
    }

    private void requireFamily(InetSocketAddress to) {
        if (to.getAddress() instanceof Inet6Address != local.getAddress() instanceof Inet6Address) {
            throw new IllegalArgumentException(
                    "the port " + Route.text(local) + " cannot send to " + Route.text(to) + ", which is of another family");
        }
    }

    private int sendFirst(InetSocketAddress to, OutboundDatagrams from) {
        long length = from.length(0);
        if (length > LONGEST) {
            return TOO_LONG;
        }
        try {
            MemorySegment.copy(from.headers(), from.header(0), stage, 0, from.headerLength(0));
            MemorySegment.copy(from.payload(0), from.payloadOffset(0), stage, from.headerLength(0), from.payloadLength(0));
            if (from.payload(0).isMapped()) {
                // A native method makes the JVM report a fault at once: see RegisteredMemory.
                Thread.holdsLock(stage);
            }
        } catch (IllegalStateException | WrongThreadException | InternalError e) {
            // The arena is closed, or confined to another thread; or a mapped file was truncated.
            return BAD_MEMORY;
        }
        try {
            stageBuffer.clear().limit((int) length);
            socket.send(stageBuffer, to);
            // Nothing is sent, or all; for a datagram without bytes the two look alike.
            return stageBuffer.hasRemaining() ? 0 : 1;
        } catch (IOException e) {
            return String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT).contains("too long") ? TOO_LONG : failed("send", e);
        }
    }

    private int failed(String call, IOException e) {
        cause = new Cause(call, e);
        return FAILED;
    }

    @Override
    public VerbsException failure() {
        Cause reason = cause;
        if (reason == null || reason.exception() instanceof ClosedChannelException) {
            return new ClosedException("port " + Route.text(local) + (socket.isOpen() ? " has not failed" : " was closed here"));
        }
        return Failures.of("port " + Route.text(local), reason.call(), reason.exception());
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public int mtu(InetSocketAddress to) {
        Failures.requireResolved(to);
        try {
            NetworkInterface leaving = to.getAddress().isMulticastAddress() && groups != null ? groups : interfaceTo(to);
            return Math.min(LONGEST, leaving.getMTU());
        } catch (IOException e) {
            throw Failures.of("find the MTU to " + Route.text(to), "getMTU", e);
        }
    }

    /** The interface that the system chooses for an address: that of the local address of a socket connected to it. Nothing is sent. */
    private static NetworkInterface interfaceTo(InetSocketAddress to) throws IOException {
        try (DatagramChannel probe = DatagramChannel.open(NioMultiplexer.family(to))) {
            probe.connect(to.getPort() == 0 ? new InetSocketAddress(to.getAddress(), 9) : to);
            NetworkInterface found = NetworkInterface.getByInetAddress(((InetSocketAddress) probe.getLocalAddress()).getAddress());
            if (found == null) {
                throw new IOException("no network interface leads to " + Route.text(to));
            }
            return found;
        }
    }

    @Override
    public int receiveBuffer() {
        try {
            return socket.getOption(StandardSocketOptions.SO_RCVBUF);
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public long dropped() {
        return -1;
    }

    @Override
    public void close() {
        source.close();
    }
}
