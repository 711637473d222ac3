package org.panamaverbs.compare.programs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ddp.BufferAttributes;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.ddp.DdpGroup;
import org.panamaverbs.ddp.DdpListener;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpSocket;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.Indication;

/**
 * Tagged messages over a DDP socket, into registered memory. {@code DdpPlacement serve SIZE} prints where it listens and serves one peer;
 * {@code DdpPlacement PORT SIZE} and the arguments of {@link Timed} measure against it on loopback. The system properties {@code ddp.transport} (TCP),
 * {@code ddp.payload} (UDP: bytes of payload in a datagram) and {@code ddp.rate} (bytes per second; as fast as it can) say how.
 *
 * <p>The placed bytes count, which the receiver tells over a connection of its own.
 */
public final class DdpPlacement {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final DdpTransport TRANSPORT = DdpTransport.valueOf(System.getProperty("ddp.transport", "TCP"));
    private static final int PAYLOAD = Integer.getInteger("ddp.payload", 0);
    private static final long RATE = Long.getLong("ddp.rate", 0);
    private static final int STAG = 0x1000;
    private static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The receiver's tally at a moment: bytes placed, bytes allocated, nanoseconds. */
    private record Tally(long placed, long allocated, long nanos) {
        static Tally parse(String line) {
            String[] words = line.split(" ");
            return new Tally(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
        }
    }

    private DdpPlacement() {
    }

    /** Is either end. */
    public static void main(String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[1]);
        if (arguments[0].equals("serve")) {
            serve(size);
        } else {
            measure(Integer.parseInt(arguments[0]), size, new Timed(arguments));
        }
    }

    private static DdpOptions options() {
        return PAYLOAD == 0 ? DdpOptions.DEFAULT : DdpOptions.DEFAULT.withPayload(PAYLOAD);
    }

    private static void serve(int size) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (Arena arena = Arena.ofShared();
                DdpContext context = DdpContext.open();
                ServerSocket control = new ServerSocket(0, 1, loopback)) {
            DdpGroup group = context.newGroup();
            group.register(arena.allocate(size, 4096), BufferAttributes.DEFAULT.withStag(STAG));
            Timed.listening(control.getLocalPort());
            try (Socket peer = control.accept();
                    PrintStream out = new PrintStream(peer.getOutputStream(), true, StandardCharsets.US_ASCII);
                    BufferedReader in = new BufferedReader(new InputStreamReader(peer.getInputStream(), StandardCharsets.US_ASCII))) {
                DdpSocket socket = open(context, group, new InetSocketAddress(loopback, 0), out);
                // Starts to receive, and places from then on.
                Thread.ofPlatform().daemon().start(() -> drain(socket));
                while (in.readLine() != null) {
                    out.println(socket.counters().bytesPlaced() + " " + THREADS.getTotalThreadAllocatedBytes() + " " + System.nanoTime());
                }
            }
        }
    }

    private static DdpSocket open(DdpContext context, DdpGroup group, InetSocketAddress local, PrintStream out) {
        if (TRANSPORT == DdpTransport.UDP) {
            DdpSocket socket = context.bind(group, local, options());
            out.println(socket.localAddress().getPort());
            return socket;
        }
        DdpListener listener = context.listen(group, TRANSPORT, local, options());
        out.println(listener.address().getPort());
        return listener.accept(LONG);
    }

    private static void drain(DdpSocket socket) {
        Indication indication = socket.newIndication();
        boolean open = true;
        try {
            while (open) {
                if (socket.receive(indication, LONG)) {
                    open = indication.kind() != Indication.Kind.END && indication.kind() != Indication.Kind.ERROR;
                }
            }
        } catch (ClosedException e) {
            // The measurement is over.
        }
    }

    private static void measure(int port, int size, Timed timed) throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (Arena arena = Arena.ofShared();
                DdpContext context = DdpContext.open();
                Socket control = new Socket(loopback, port);
                PrintStream out = new PrintStream(control.getOutputStream(), true, StandardCharsets.US_ASCII);
                BufferedReader in = new BufferedReader(new InputStreamReader(control.getInputStream(), StandardCharsets.US_ASCII))) {
            int data = Integer.parseInt(in.readLine());
            DdpSocket socket = context.connect(TRANSPORT, new InetSocketAddress(loopback, data), options(), LONG);
            MemorySegment message = arena.allocate(size, 4096);
            Supplier<Tally> tally = () -> {
                out.println("tally");
                try {
                    return Tally.parse(in.readLine());
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            };
            timed.warmUp(seconds -> {
                Tally before = tally.get();
                send(socket, message, seconds);
                return figures(before, tally.get(), size);
            });
            Tally before = tally.get();
            long sentBefore = socket.counters().bytesSent();
            long partsBefore = socket.counters().messagesSent();
            long allocated = THREADS.getTotalThreadAllocatedBytes();
            send(socket, message, timed.seconds());
            Tally after = tally.get();
            allocated = THREADS.getTotalThreadAllocatedBytes() - allocated + after.allocated() - before.allocated();
            long sent = socket.counters().bytesSent() - sentBefore;
            long messages = socket.counters().messagesSent() - partsBefore;
            double placed = after.placed() - before.placed();
            timed.print(figures(before, after, size), size, "arrivedShare", Math.min(1, placed / sent), "allocatedBytesPerMessage",
                    (double) allocated / messages);
        }
    }

    private static Timed.Figures figures(Tally before, Tally after, int size) {
        return Timed.Figures.of((after.placed() - before.placed()) / (double) size, (after.nanos() - before.nanos()) / 1e9);
    }

    private static void send(DdpSocket socket, MemorySegment message, double seconds) {
        long size = message.byteSize();
        long begin = System.nanoTime();
        long sent = 0;
        while (true) {
            double elapsed = (System.nanoTime() - begin) / 1e9;
            if (elapsed >= seconds && sent > 0) {
                return;
            }
            if (RATE == 0 || sent <= RATE * elapsed) {
                socket.sendDdp(message, 0, size, STAG, 0, 0, 0);
                sent += size;
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
