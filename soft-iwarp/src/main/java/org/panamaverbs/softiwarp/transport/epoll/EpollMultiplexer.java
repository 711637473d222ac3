package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ResourceException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.libc.timespec;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.DatagramBinding;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.EventStack;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;
import org.panamaverbs.softiwarp.transport.TcpOptions;
import org.panamaverbs.spi.support.Rollback;

/**
 * TCP and UDP on Linux, by an epoll set. The set watches each socket edge-triggered for all events from the moment it is added; only
 * {@link #unwatch} takes a socket out of the set for a while. A listener on {@code ::} or
 * {@code 0.0.0.0} accepts both families, and a datagram port there receives its own alone.
 *
 * <p>{@link #select} allocates nothing. It blocks its thread in a system call while it waits, so call it on a platform thread. After
 * {@link #close} it throws {@link ClosedException}. With a user time-out it may return 0 before its time ({@code PeerWatch}).
 */
public final class EpollMultiplexer implements Multiplexer {
    static final int INTEREST = Libc.EPOLLIN() | Libc.EPOLLOUT() | Libc.EPOLLRDHUP() | Libc.EPOLLET();
    private static final int READS = Libc.EPOLLIN() | Libc.EPOLLRDHUP() | Libc.EPOLLHUP() | Libc.EPOLLERR();
    private static final int WRITES = Libc.EPOLLOUT() | Libc.EPOLLHUP() | Libc.EPOLLERR();
    private static final int ENDS = Libc.EPOLLRDHUP() | Libc.EPOLLHUP() | Libc.EPOLLERR();
    private static final int EVENTS = 256;
    private static final ValueLayout.OfLong TOKEN = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt MASK = ValueLayout.JAVA_INT_UNALIGNED;
    /** The token of the event descriptor. No slot has this token, because generations count from 1. */
    private static final long WAKE_UP = 0;

    // States of the selecting thread.
    private static final int RUNNING = 0;
    private static final int WAITING = 1;
    private static final int WOKEN = 2;

    private final Descriptor epoll;
    private final Descriptor wakeUps;
    private final EpollSlots slots = new EpollSlots();
    private final EventStack own = new EventStack();
    /** The selecting thread writes RUNNING and WAITING. Others write WOKEN, and make a system call only if the state was WAITING. */
    private final AtomicInteger state = new AtomicInteger(RUNNING);

    /** What {@link #wakeUp} writes; memory of the event descriptor. */
    private final MemorySegment one;
    // Only the selecting thread uses the fields from here to precise; the memory is that of the epoll set's descriptor.
    private final MemorySegment errno;
    private final MemorySegment events;
    /** How many events the last wait brought, and how many of them were dispatched: after a failure the next call goes on, as epoll does not. */
    private int arrived;
    private int dispatched;
    private final MemorySegment timeout;
    private final MemorySegment interest;
    private boolean precise = SocketCalls.hasEpollPwait2();
    private final TcpOptions options;
    private final PeerWatch peers;

    /** Opens an epoll set that leaves the options of its sockets to the system. */
    public EpollMultiplexer() {
        this(TcpOptions.OF_SYSTEM);
    }

    /** Opens an epoll set whose TCP sockets have these options. */
    public EpollMultiplexer(TcpOptions options) {
        this.options = options;
        if (SocketCalls.unavailable() != null) {
            throw new IllegalStateException(SocketCalls.unavailable());
        }
        try (Rollback undo = new Rollback(); Arena arena = Arena.ofConfined()) {
            epoll = open(undo, "epoll_create1", number -> SocketCalls.epollCreate1(number, Libc.EPOLL_CLOEXEC()), arena);
            SegmentAllocator memory = epoll.memory();
            errno = Native.newErrno(memory);
            events = memory.allocate(EVENTS * SocketCalls.EPOLL_EVENT_SIZE, Long.BYTES);
            timeout = timespec.allocate(memory);
            interest = memory.allocate(SocketCalls.EPOLL_EVENT_SIZE, Long.BYTES);
            peers = new PeerWatch(options, memory);
            wakeUps = open(undo, "eventfd", number -> SocketCalls.eventfd(number, 0, Libc.EFD_CLOEXEC() | Libc.EFD_NONBLOCK()), arena);
            one = wakeUps.memory().allocateFrom(ValueLayout.JAVA_LONG, 1);
            // Edge-triggered too: each write is an edge, so no thread has to read the counter back.
            control(wakeUps.fd(), Libc.EPOLLIN() | Libc.EPOLLET(), WAKE_UP);
            undo.commit();
        }
    }

    private static Descriptor open(Rollback undo, String name, ToIntFunction<MemorySegment> call, Arena arena) {
        MemorySegment errno = Native.newErrno(arena);
        int fd = call.applyAsInt(errno);
        if (fd < 0) {
            throw Failures.of("open an epoll set", name, Native.errno(errno));
        }
        Descriptor opened = new Descriptor(fd);
        undo.add(opened::close);
        return opened;
    }

    /** Why epoll is not available here, or {@code null} if it is. */
    public static String unavailable() {
        return SocketCalls.unavailable();
    }

    @Override
    public Channel connect(Route route) {
        Descriptor socket = Sockets.connect(route, options);
        return EpollChannel.of(socket, () -> Sockets.localAddress(socket, "connect to " + route.describe()), route.remote(), false,
                options);
    }

    @Override
    public Acceptor<Channel> listen(InetSocketAddress local, int backlog, int typeOfService) {
        Failures.requireResolved(local);
        Descriptor socket = Sockets.listen(local, backlog, typeOfService, options);
        return socket.orClose(() -> new EpollAcceptor(socket, Sockets.localAddress(socket, "listen on " + Route.text(local)), options));
    }

    @Override
    public Registration add(Channel channel, Handler handler) {
        return ((EpollChannel) channel).source().register(this, handler);
    }

    @Override
    public void remove(Channel channel) {
        ((EpollChannel) channel).source().unregister();
    }

    @Override
    public void add(Acceptor<Channel> acceptor, Handler handler) {
        ((EpollAcceptor) acceptor).source().register(this, handler);
    }

    @Override
    public DatagramPort bind(DatagramBinding binding) {
        DatagramSockets.Opened opened = DatagramSockets.open(binding);
        return opened.socket().orClose(() -> new EpollDatagramPort(opened, Sockets.localAddress(opened.socket(), binding.describe())));
    }

    @Override
    public void add(DatagramPort port, Handler handler) {
        ((EpollDatagramPort) port).register(this, handler);
    }

    EpollSlots slots() {
        return slots;
    }

    /** Starts to watch a socket. If it is ready now, that counts as an edge (epoll(7)). */
    void register(int fd, EpollSlots.Slot slot, int mask) {
        control(fd, mask, slot.token());
    }

    private void control(int fd, int mask, long token) {
        if (!epoll.acquire()) {
            throw new ClosedException("the epoll set is closed");
        }
        try (Arena local = Arena.ofConfined()) {
            MemorySegment event = local.allocate(SocketCalls.EPOLL_EVENT_SIZE, Long.BYTES);
            event.set(MASK, 0, mask);
            event.set(TOKEN, SocketCalls.EPOLL_EVENT_DATA, token);
            MemorySegment number = Native.newErrno(local);
            if (SocketCalls.epollCtl(number, epoll.fd(), Libc.EPOLL_CTL_ADD(), fd, event) != 0) {
                int error = Native.errno(number);
                if (error == Libc.ENOSPC()) {
                    throw new ResourceException("watch a socket: epoll_ctl: " + Errno.name(error) + "; raise fs.epoll.max_user_watches");
                }
                throw Failures.of("watch a socket", "epoll_ctl", error);
            }
        } finally {
            epoll.release();
        }
    }

    @Override
    public void unwatch(Channel channel) {
        ((EpollChannel) channel).source().unwatch();
    }

    @Override
    public boolean watch(Channel channel) {
        return ((EpollChannel) channel).source().watch();
    }

    /** Watches a socket for other events than before, if it is watched. If it is ready for one, that counts as an edge. */
    void change(MemorySegment number, MemorySegment event, int fd, EpollSlots.Slot slot, int mask) {
        if (epoll.acquire()) {
            try {
                event.set(MASK, 0, mask);
                event.set(TOKEN, SocketCalls.EPOLL_EVENT_DATA, slot.token());
                // Fails only if the socket is not watched yet.
                SocketCalls.epollCtl(number, epoll.fd(), Libc.EPOLL_CTL_MOD(), fd, event);
            } finally {
                epoll.release();
            }
        }
    }

    /** Stops watching a socket. Only the selecting thread calls this method and the next. */
    void unwatch(int fd) {
        change(Libc.EPOLL_CTL_DEL(), fd);
    }

    /** Watches a socket, if it is not watched; if it is ready, that counts as an edge. {@code false} if the system has no room for it. */
    boolean watch(int fd, EpollSlots.Slot slot, int mask) {
        interest.set(MASK, 0, mask);
        interest.set(TOKEN, SocketCalls.EPOLL_EVENT_DATA, slot.token());
        int error = change(Libc.EPOLL_CTL_ADD(), fd);
        return error == 0 || error == Libc.EEXIST();
    }

    private int change(int operation, int fd) {
        if (!epoll.acquire()) {
            return 0;
        }
        try {
            return SocketCalls.epollCtl(errno, epoll.fd(), operation, fd, interest) == 0 ? 0 : Native.errno(errno);
        } finally {
            epoll.release();
        }
    }

    /** A connection has sent data, after the peer had acknowledged all earlier data. */
    void onSent() {
        if (peers.want()) {
            wakeUp();
        }
    }

    /** Reports events to a handler that the system does not report, or not again. */
    void report(EpollSlots.Slot slot, int reported) {
        own.push(slot.registration(), reported);
        wakeUp();
    }

    @Override
    public int select(long timeoutNanos) {
        if (!epoll.acquire()) {
            throw new ClosedException("the epoll set is closed");
        }
        // Keeps the event descriptor open too: otherwise close() could close it before this thread sees the wake-up.
        if (!wakeUps.acquire()) {
            epoll.release();
            throw new ClosedException("the epoll set is closed");
        }
        try {
            if (dispatched == arrived) {
                long limit = peers.limit(timeoutNanos, slots);
                // If another thread has woken us already, this does not wait.
                int count = await(limit != 0 && state.compareAndSet(RUNNING, WAITING) ? limit : 0);
                if (limit != 0) {
                    state.set(RUNNING);
                }
                dispatched = 0;
                arrived = count;
            }
            return dispatch() + own.dispatchAll();
        } finally {
            wakeUps.release();
            epoll.release();
        }
    }

    @Override
    public boolean isBusyPolled() {
        return state.get() == RUNNING;
    }

    private int await(long timeoutNanos) {
        long deadline = timeoutNanos > 0 ? System.nanoTime() + timeoutNanos : 0;
        long left = timeoutNanos;
        while (true) {
            // Without a wait the older call does less work.
            int count = precise && left != 0 ? awaitPrecisely(left)
                    : SocketCalls.epollWait(errno, epoll.fd(), events, EVENTS, milliseconds(left));
            if (count >= 0) {
                return count;
            }
            int number = Native.errno(errno);
            if (number != Errno.EINTR) {
                if (!precise) {
                    throw Failures.of("wait for events", "epoll_wait", number);
                }
                // Linux before 5.11 returns ENOSYS. A sandbox that is older than the call returns what its rules say, EPERM mostly.
                precise = false;
            }
            if (timeoutNanos > 0) {
                left = Math.max(0, deadline - System.nanoTime());
            }
        }
    }

    private int awaitPrecisely(long nanos) {
        if (nanos > 0) {
            timespec.tv_sec(timeout, nanos / 1_000_000_000);
            timespec.tv_nsec(timeout, nanos % 1_000_000_000);
        }
        return SocketCalls.epollPwait2(errno, epoll.fd(), events, EVENTS, nanos < 0 ? MemorySegment.NULL : timeout);
    }

    /** Rounds up: a wait that ends too early would make the loop spin until the time is over. */
    private static int milliseconds(long nanos) {
        if (nanos < 0) {
            return -1;
        }
        long whole = TimeUnit.NANOSECONDS.toMillis(nanos);
        return (int) Math.min(Integer.MAX_VALUE, whole * 1_000_000 < nanos ? whole + 1 : whole);
    }

    private int dispatch() {
        int called = 0;
        while (dispatched < arrived) {
            called += dispatch(dispatched * SocketCalls.EPOLL_EVENT_SIZE);
            dispatched++;
        }
        return called;
    }

    private int dispatch(long at) {
        int mask = events.get(MASK, at);
        EpollSlots.Slot slot = slots.find(events.get(TOKEN, at + SocketCalls.EPOLL_EVENT_DATA));
        if (slot == null) {
            return 0;
        }
        if ((mask & ENDS) != 0) {
            slot.ended();
        }
        int ready = ((mask & READS) != 0 ? READABLE : 0) | ((mask & WRITES) != 0 ? WRITABLE : 0);
        return slot.registration().dispatch(ready);
    }

    @Override
    public void wakeUp() {
        if (state.getAndSet(WOKEN) != WAITING || !wakeUps.acquire()) {
            // The selecting thread does not wait, and checks the state before it does; or another wake-up is under way.
            return;
        }
        try {
            // The write fails only if the counter is full, which takes 2^64 wake-ups.
            SocketCalls.write(Descriptor.UNREAD, wakeUps.fd(), one, Long.BYTES);
        } finally {
            wakeUps.release();
        }
    }

    @Override
    public void close() {
        // No new wait begins after this. The wake-up then ends a wait under way; it needs the event descriptor.
        epoll.close();
        wakeUp();
        wakeUps.close();
    }
}
