package org.panamaverbs.softiwarp.transport.shared;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.epoll.Descriptor;

/**
 * The single bytes on the socket of a connection that wake a sleeping peer. An eventfd could wake as well, but its flags belong to both
 * processes: the peer could make each write of this side wait.
 */
final class WakeUps {
    /** The most wake-ups that one edge may stand for. A peer that keeps to the rules has made two at most. */
    static final int MOST = 64;

    private final Descriptor socket;
    private final MemorySegment bytes;
    private final MemorySegment errno;

    WakeUps(Descriptor socket) {
        this.socket = socket;
        bytes = socket.memory().allocate(MOST);
        errno = Native.newErrno(socket.memory());
    }

    /** Wakes a peer that sleeps. If its socket is full of bytes that it has not read, it is awake. Any thread may call it. */
    void send() {
        if (socket.acquire()) {
            try {
                SocketCalls.transferPart(Descriptor.UNREAD, false, socket.fd(), bytes, 0, 1);
            } finally {
                socket.release();
            }
        }
    }

    /**
     * Takes all wake-ups: one edge may stand for them and for the end of the stream behind them. The caller holds the socket.
     *
     * @return a positive number, more than {@link #MOST} if there were more; 0 or less if the stream has ended
     */
    long take() {
        long all = 1;
        while (all <= MOST) {
            long count = SocketCalls.transferPart(errno, true, socket.fd(), bytes, 0, MOST);
            if (count > 0) {
                all += count;
            } else if (count == 0 || Native.errno(errno) != Errno.EINTR) {
                return count < 0 && Native.errno(errno) == Errno.EAGAIN ? all : count;
            }
        }
        return all;
    }
}
