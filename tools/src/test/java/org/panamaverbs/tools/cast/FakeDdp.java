package org.panamaverbs.tools.cast;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.ddp.BufferAddress;
import org.panamaverbs.ddp.BufferAttributes;
import org.panamaverbs.ddp.DdpBuffer;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.ddp.DdpDatagramSocket;
import org.panamaverbs.ddp.DdpGroup;
import org.panamaverbs.ddp.DdpListener;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpSocket;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.Indication;
import org.panamaverbs.ddp.MessageSizes;
import org.panamaverbs.ddp.PlacementListener;
import org.panamaverbs.ddp.RegisteredBuffer;

/** DDP inside this process, for tests of programs: the sender's thread places. Datagrams can be lost. */
final class FakeDdp {
    private static final int PAYLOAD = 1452;
    private static final AtomicInteger PORTS = new AtomicInteger(40_000);

    private final Map<InetSocketAddress, List<Socket>> sockets = new HashMap<>();
    private final Map<InetSocketAddress, Listener> listeners = new HashMap<>();
    private final Random random;
    private final double loss;
    private int actionAfter;
    private Runnable then;

    /** @param loss the share of datagrams that are lost, 0 to 1 */
    FakeDdp(long seed, double loss) {
        random = new Random(seed);
        this.loss = loss;
    }

    /** Does something when so many tagged parts were sent. */
    void afterParts(int count, Runnable action) {
        actionAfter = count;
        then = action;
    }

    private void sent() {
        if (--actionAfter == 0) {
            then.run();
        }
    }

    DdpContext open() {
        return new Context();
    }

    private synchronized boolean loses() {
        return random.nextDouble() < loss;
    }

    private synchronized List<Socket> at(InetSocketAddress address) {
        return sockets.computeIfAbsent(address, each -> new CopyOnWriteArrayList<>());
    }

    /** Waits until so many sockets, or a listener, are at an address. */
    void awaitReceivers(InetSocketAddress address, int count) throws InterruptedException {
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (at(address).size() < count && !isListening(address)) {
            if (System.nanoTime() - patience > 0) {
                throw new AssertionError("nobody receives at " + address);
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private synchronized boolean isListening(InetSocketAddress address) {
        return listeners.containsKey(address);
    }

    private static InetSocketAddress actual(InetSocketAddress local) {
        InetAddress host = local.getAddress().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : local.getAddress();
        return new InetSocketAddress(host, local.getPort() == 0 ? PORTS.incrementAndGet() : local.getPort());
    }

    private final class Context implements DdpContext {
        private final List<Socket> own = new CopyOnWriteArrayList<>();
        private final List<Listener> ownListeners = new CopyOnWriteArrayList<>();

        @Override
        public DdpGroup newGroup() {
            return new Group();
        }

        @Override
        public DdpSocket connect(DdpTransport transport, InetSocketAddress remote, DdpOptions options, Duration timeout) {
            return connect(newGroup(), transport, remote, options, timeout);
        }

        @Override
        public DdpSocket connect(DdpGroup group, DdpTransport transport, InetSocketAddress remote, DdpOptions options, Duration timeout) {
            Socket socket = new Socket(transport, (Group) group, actual(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), remote,
                    options);
            own.add(socket);
            if (transport == DdpTransport.UDP) {
                at(socket.local).add(socket);
                return socket;
            }
            Listener listener;
            synchronized (FakeDdp.this) {
                listener = listeners.get(remote);
            }
            if (listener == null) {
                throw new SystemException(remote + ": ECONNREFUSED", 111);
            }
            Socket accepted = new Socket(transport, listener.group, remote, socket.local, options);
            accepted.peer = socket;
            socket.peer = accepted;
            listener.context.own.add(accepted);
            listener.queue.add(accepted);
            return socket;
        }

        @Override
        public DdpListener listen(DdpGroup group, DdpTransport transport, InetSocketAddress local, DdpOptions options) {
            Listener listener = new Listener(this, (Group) group, actual(local));
            synchronized (FakeDdp.this) {
                listeners.put(listener.local, listener);
            }
            ownListeners.add(listener);
            return listener;
        }

        @Override
        public DdpDatagramSocket bind(DdpGroup group, InetSocketAddress local, DdpOptions options) {
            Socket socket = new Socket(DdpTransport.UDP, (Group) group, actual(local), null, options);
            own.add(socket);
            at(socket.local).add(socket);
            return socket;
        }

        @Override
        public void close() {
            ownListeners.forEach(Listener::close);
            own.forEach(Socket::close);
        }
    }

    private record Posted(Buffer buffer, long offset, long length) {
    }

    private static final class Buffer implements RegisteredBuffer {
        private final BufferAddress address;
        private final MemorySegment memory;
        private final PlacementListener listener;

        Buffer(BufferAddress address, MemorySegment memory, PlacementListener listener) {
            this.address = address;
            this.memory = memory;
            this.listener = listener;
        }

        @Override
        public BufferAddress address() {
            return address;
        }

        @Override
        public long size() {
            return memory.byteSize();
        }

        @Override
        public Optional<MemorySegment> segment() {
            return Optional.of(memory);
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Group implements DdpGroup {
        private final Map<Integer, Buffer> buffers = new HashMap<>();
        private final Queue<Posted> posted = new ArrayDeque<>();

        @Override
        public RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes) {
            return register(memory, attributes, (offset, length) -> {
            });
        }

        @Override
        public synchronized RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes, PlacementListener listener) {
            int stag = attributes.stag().orElse(0x7000_0000 + buffers.size());
            Buffer buffer = new Buffer(new BufferAddress(stag, attributes.offset()), memory, listener);
            buffers.put(stag, buffer);
            return buffer;
        }

        @Override
        public RegisteredBuffer register(DdpBuffer buffer, BufferAttributes attributes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public synchronized boolean tryPostReceive(RegisteredBuffer buffer, long offset, long length) {
            return posted.add(new Posted((Buffer) buffer, offset, length));
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Listener implements DdpListener {
        private final BlockingQueue<Socket> queue = new LinkedBlockingQueue<>();
        private final Context context;
        private final Group group;
        private final InetSocketAddress local;
        private volatile boolean closed;

        Listener(Context context, Group group, InetSocketAddress local) {
            this.context = context;
            this.group = group;
            this.local = local;
        }

        @Override
        public InetSocketAddress address() {
            return local;
        }

        @Override
        public DdpSocket accept(Duration timeout) {
            long end = System.nanoTime() + Math.min(timeout.toSeconds(), 3600) * 1_000_000_000L;
            try {
                while (!closed && end - System.nanoTime() > 0) {
                    Socket socket = queue.poll(5, TimeUnit.MILLISECONDS);
                    if (socket != null) {
                        return socket;
                    }
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            if (closed) {
                throw new ClosedException("closed");
            }
            throw new VerbsTimeoutException("none came");
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static final class Taken implements Indication {
        private Kind kind = Kind.NONE;
        private int messageId;
        private Posted place;
        private long length;
        private InetSocketAddress source;
        private VerbsException failure;

        private Taken fill(Kind of, InetSocketAddress from) {
            kind = of;
            source = from;
            return this;
        }

        @Override
        public Kind kind() {
            return kind;
        }

        @Override
        public int messageId() {
            return messageId;
        }

        @Override
        public RegisteredBuffer buffer() {
            return place.buffer();
        }

        @Override
        public long offset() {
            return place.offset();
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public InetSocketAddress source() {
            return source;
        }

        @Override
        public int ulpOctet() {
            return 0;
        }

        @Override
        public int ulpWord() {
            return 0;
        }

        @Override
        public int queue() {
            return 0;
        }

        @Override
        public VerbsException failure() {
            return failure;
        }
    }

    private final class Socket implements DdpDatagramSocket {
        private final BlockingQueue<Taken> indications = new LinkedBlockingQueue<>();
        private final DdpTransport transport;
        private final Group group;
        private final InetSocketAddress local;
        private final InetSocketAddress remote;
        private final int payload;
        private volatile Socket peer;
        private volatile boolean closed;
        private boolean outputShut;
        private long parts;
        private long received;
        private long placed;
        private long unknown;
        private long outside;

        Socket(DdpTransport transport, Group group, InetSocketAddress local, InetSocketAddress remote, DdpOptions options) {
            this.transport = transport;
            this.group = group;
            this.local = local;
            this.remote = remote;
            payload = options.payload().orElse(PAYLOAD);
        }

        private List<Socket> receivers(InetSocketAddress to) {
            if (transport == DdpTransport.TCP) {
                if (peer.closed) {
                    throw new PeerException("the peer has ended the stream");
                }
                return List.of(peer);
            }
            return new ArrayList<>(at(to)).stream().filter(each -> !loses()).toList();
        }

        @Override
        public void send(InetSocketAddress to, MemorySegment message, long offset, long length) {
            parts++;
            receivers(to).forEach(each -> each.onUntagged(local, message.asSlice(offset, length)));
        }

        private synchronized void onUntagged(InetSocketAddress from, MemorySegment message) {
            received++;
            Posted place;
            synchronized (group) {
                place = group.posted.poll();
            }
            if (place == null || message.byteSize() > place.length()) {
                return;
            }
            MemorySegment.copy(message, 0, place.buffer().memory, place.offset(), message.byteSize());
            Taken indication = new Taken().fill(Indication.Kind.MESSAGE, from);
            indication.place = place;
            indication.length = message.byteSize();
            indications.add(indication);
        }

        @Override
        public void sendDdp(InetSocketAddress to, MemorySegment message, long offset, long length, int stag, long taggedOffset, int flags,
                int messageId) {
            long most = transport == DdpTransport.TCP ? Long.MAX_VALUE : payload;
            long done = 0;
            do {
                long part = Math.min(most, length - done);
                boolean last = done + part == length && (flags & NOTIFY) != 0;
                MemorySegment bytes = message.asSlice(offset + done, part);
                long at = taggedOffset + done;
                parts++;
                receivers(to).forEach(each -> each.onTagged(local, bytes, stag, at, last, messageId));
                done += part;
                sent();
            } while (done < length);
        }

        private synchronized void onTagged(InetSocketAddress from, MemorySegment bytes, int stag, long at, boolean last, int messageId) {
            received++;
            Buffer buffer;
            synchronized (group) {
                buffer = group.buffers.get(stag);
            }
            if (closed || buffer == null) {
                unknown++;
                return;
            }
            if (at < 0 || at > buffer.size() - bytes.byteSize()) {
                outside++;
                return;
            }
            if (bytes.byteSize() > 0) {
                MemorySegment.copy(bytes, 0, buffer.memory, at, bytes.byteSize());
                placed += bytes.byteSize();
                buffer.listener.onPlaced(at, bytes.byteSize(), from);
            }
            if (last) {
                Taken indication = new Taken().fill(Indication.Kind.NOTIFICATION, from);
                indication.messageId = messageId;
                indications.add(indication);
            }
        }

        @Override
        public void send(MemorySegment message, long offset, long length) {
            send(remote, message, offset, length);
        }

        @Override
        public void sendDdp(MemorySegment message, long offset, long length, int stag, long taggedOffset, int flags, int messageId) {
            sendDdp(remote, message, offset, length, stag, taggedOffset, flags, messageId);
        }

        @Override
        public boolean receive(Indication into, Duration timeout) {
            if (closed) {
                throw new ClosedException("closed");
            }
            try {
                return take(into, indications.poll(timeout.toNanos(), TimeUnit.NANOSECONDS));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public boolean poll(Indication into) {
            return take(into, indications.poll());
        }

        private static boolean take(Indication into, Taken from) {
            if (from == null) {
                return false;
            }
            Taken taken = ((Taken) into).fill(from.kind, from.source);
            taken.messageId = from.messageId;
            taken.place = from.place;
            taken.length = from.length;
            taken.failure = from.failure;
            return true;
        }

        @Override
        public synchronized DdpCounters counters() {
            return new DdpCounters(parts, 0, parts, received, placed, 0, 0, unknown, outside, 0, 0, 0, 0);
        }

        @Override
        public synchronized void shutdownOutput() {
            if (peer != null && !outputShut) {
                outputShut = true;
                peer.indications.add(new Taken().fill(Indication.Kind.END, local));
            }
        }

        @Override
        public void close() {
            shutdownOutput();
            closed = true;
            at(local).remove(this);
        }

        @Override
        public DdpTransport transport() {
            return transport;
        }

        @Override
        public InetSocketAddress localAddress() {
            return local;
        }

        @Override
        public Optional<InetSocketAddress> remoteAddress() {
            return Optional.ofNullable(remote);
        }

        @Override
        public RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes, PlacementListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public RegisteredBuffer register(DdpBuffer buffer, BufferAttributes attributes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean tryPostReceive(RegisteredBuffer buffer, long offset, long length) {
            return group.tryPostReceive(buffer, offset, length);
        }

        @Override
        public void postReceive(RegisteredBuffer buffer) {
            group.tryPostReceive(buffer, 0, buffer.size());
        }

        @Override
        public Indication newIndication() {
            return new Taken();
        }

        @Override
        public MessageSizes maximumSizes() {
            return new MessageSizes(payload, payload);
        }
    }
}
