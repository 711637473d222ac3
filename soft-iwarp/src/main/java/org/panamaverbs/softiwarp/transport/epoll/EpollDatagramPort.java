package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.DatagramHead;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.InboundDatagrams;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.OutboundDatagrams;

/** A UDP socket that is not connected. */
final class EpollDatagramPort implements DatagramPort {
    private static final int RECEIVES = Libc.EPOLLIN() | Libc.EPOLLET();
    private static final int SENDS = RECEIVES | Libc.EPOLLOUT();

    private final DatagramSockets.Opened opened;
    private final Descriptor socket;
    private final EpollSource source;
    private final InetSocketAddress local;
    private final DatagramReceive receiving;
    private final DatagramSend sending;
    // For the sending thread.
    private final MemorySegment errno;
    private final MemorySegment interest;
    /**
     * Whether epoll reports that the socket takes datagrams. It does so from the start, and then only after datagrams were left behind:
     * otherwise each datagram that leaves the machine would wake the selecting thread.
     */
    private boolean armed = true;
    /** Why the last call failed. */
    private volatile Cause cause;

    /** The call that failed, and its error number. */
    private record Cause(String call, int number) {
    }

    EpollDatagramPort(DatagramSockets.Opened opened, InetSocketAddress local) {
        this.opened = opened;
        this.local = local;
        socket = opened.socket();
        source = new EpollSource(socket);
        receiving = new DatagramReceive(socket.memory());
        sending = new DatagramSend(opened);
        errno = Native.newErrno(socket.memory());
        interest = socket.memory().allocate(SocketCalls.EPOLL_EVENT_SIZE, Long.BYTES);
    }

    void register(EpollMultiplexer multiplexer, Multiplexer.Handler handler) {
        source.register(multiplexer, handler);
    }

    @Override
    public int receive(InboundDatagrams into) {
        if (!socket.acquire()) {
            return FAILED;
        }
        int result;
        try {
            result = receiving.receive(socket.fd(), into);
        } finally {
            socket.release();
        }
        return result == FAILED ? failed("recvmmsg", receiving.failure()) : result;
    }

    @Override
    public boolean canPeek() {
        return true;
    }

    @Override
    public int peek(DatagramHead head) {
        if (!socket.acquire()) {
            return FAILED;
        }
        int result;
        try {
            result = receiving.peek(socket.fd(), head);
        } finally {
            socket.release();
        }
        return result == FAILED ? failed("recvmsg", receiving.failure()) : result;
    }

    @Override
    public int take(DatagramHead head, MemorySegment place, long offset) {
        if (!socket.acquire()) {
            return FAILED;
        }
        int result;
        try {
            result = receiving.take(socket.fd(), head, place, offset);
        } finally {
            socket.release();
        }
        return result == FAILED ? failed("recvmsg", receiving.failure()) : result;
    }

    @Override
    public void discard(DatagramHead head) {
        if (socket.acquire()) {
            try {
                receiving.discard(socket.fd(), head);
            } finally {
                socket.release();
            }
        }
    }

    @Override
    public int send(InetSocketAddress to, OutboundDatagrams from) {
        if (!socket.acquire()) {
            return FAILED;
        }
        int result;
        try {
            result = sending.send(socket.fd(), to, from);
            if (armed != sending.isFull()) {
                arm(sending.isFull());
            }
        } finally {
            socket.release();
        }
        if (sending.isStarved()) {
            source.report(Multiplexer.WRITABLE);
        }
        return result == FAILED ? failed("sendmmsg", sending.failure()) : result;
    }

    private void arm(boolean on) {
        if (source.change(errno, interest, socket.fd(), on ? SENDS : RECEIVES)) {
            armed = on;
        }
    }

    private int failed(String call, int number) {
        cause = new Cause(call, number);
        return FAILED;
    }

    @Override
    public VerbsException failure() {
        if (socket.isClosed()) {
            return new ClosedException("port " + Route.text(local) + " was closed here");
        }
        Cause reason = cause;
        return reason == null ? new ClosedException("port " + Route.text(local) + " has not failed")
                : Failures.of("port " + Route.text(local), reason.call(), reason.number());
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public int mtu(InetSocketAddress to) {
        Failures.requireResolved(to);
        return DatagramSockets.mtu(opened, to);
    }

    @Override
    public int receiveBuffer() {
        if (!socket.acquire()) {
            return 0;
        }
        try (Arena arena = Arena.ofConfined()) {
            return Sockets.option(Native.newErrno(arena), socket.fd(), Libc.SOL_SOCKET(), Libc.SO_RCVBUF(), 0);
        } finally {
            socket.release();
        }
    }

    @Override
    public long dropped() {
        if (!socket.acquire()) {
            return -1;
        }
        try {
            return DatagramSockets.dropped(socket);
        } finally {
            socket.release();
        }
    }

    @Override
    public void close() {
        source.close();
    }
}
