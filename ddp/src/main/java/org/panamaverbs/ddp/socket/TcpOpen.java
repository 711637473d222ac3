package org.panamaverbs.ddp.socket;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.lifecycle.Shortage;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.progress.Attempt;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.Timer;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;
import org.panamaverbs.softiwarp.wire.Ddpp;

/**
 * Establishes a stream of DDPP core over TCP: both sides send the preamble at once, and wait for the other's. Only the leader uses it,
 * except for {@link #abort}.
 */
final class TcpOpen implements Multiplexer.Handler {
    private final EventLoop loop;
    private final Channel channel;
    private final Consumer<TcpOpen> established;
    private final Consumer<VerbsException> failed;
    private final MemorySegment memory;
    private final IoVector out = new IoVector(1);
    private final IoVector in = new IoVector(1);
    private final Attempt attempt = this::onLoopClosed;
    /** Ends the wait for the preamble of an accepted peer; otherwise {@code null}. */
    private Timer timer;
    private boolean connected;
    private int received;
    private Registration registration;
    private boolean over;

    private TcpOpen(EventLoop loop, Channel channel, SegmentAllocator allocator, boolean connected, Consumer<TcpOpen> established,
            Consumer<VerbsException> failed) {
        this.memory = allocator.allocate(2L * Ddpp.PREAMBLE_SIZE, Long.BYTES);
        this.loop = loop;
        this.channel = channel;
        this.connected = connected;
        this.established = established;
        this.failed = failed;
        Ddpp.putPreamble(memory, 0);
        out.add(memory, 0, Ddpp.PREAMBLE_SIZE);
    }

    /**
     * Starts. Then one of {@code established} and {@code failed} is called, once, unless {@link #abort} comes first.
     *
     * <p>An accepted peer has {@link MpaStreams#START_NANOS} for its preamble. A caller that connects has a time limit of its own.
     *
     * @param allocator allocates native memory for both preambles
     * @param accepted  whether the peer has connected; otherwise this side does
     * @throws RuntimeException if it cannot start; then the channel is closed
     */
    static TcpOpen start(EventLoop loop, Channel channel, SegmentAllocator allocator, boolean accepted, Consumer<TcpOpen> established,
            Consumer<VerbsException> failed) {
        try {
            TcpOpen open = new TcpOpen(loop, channel, allocator, accepted, established, failed);
            loop.execute(() -> open.begin(accepted));
            return open;
        } catch (RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private void begin(boolean accepted) {
        if (over) {
            return;
        }
        try {
            registration = loop.multiplexer().add(channel, this);
            if (accepted) {
                timer = loop.schedule(MpaStreams.START_NANOS, this::onTimeout);
            }
            loop.add(attempt);
        } catch (RuntimeException | Error e) {
            fail(Shortage.reason("watch " + describe(), e));
            return;
        }
        onReady(Multiplexer.READABLE);
    }

    private String describe() {
        return "the TCP connection with " + AbstractSocket.at(channel.remoteAddress());
    }

    Channel channel() {
        return channel;
    }

    /** The peer's preamble. */
    MemorySegment preamble() {
        return memory.asSlice(Ddpp.PREAMBLE_SIZE, Ddpp.PREAMBLE_SIZE);
    }

    /** Directs all further events to a driver. */
    void to(Multiplexer.Handler driver) {
        registration.direct(driver);
    }

    @Override
    public void onReady(int events) {
        if (!over) {
            try {
                if (isConnected() && hasSent() && hasReceived()) {
                    over = true;
                    cancelTimer();
                    loop.remove(attempt);
                    established.accept(this);
                }
            } catch (RuntimeException | Error e) {
                fail(Shortage.reason("set up " + describe() + " on this side", e));
            }
        }
    }

    private boolean isConnected() {
        if (!connected) {
            int result = channel.finishConnect();
            if (result < 0) {
                throw channel.failure();
            }
            connected = result > 0;
        }
        return connected;
    }

    private boolean hasSent() {
        while (out.size() > 0) {
            long count = channel.write(out);
            if (count < 0) {
                throw channel.failure();
            }
            if (count == 0) {
                return false;
            }
            out.consume(count);
        }
        return true;
    }

    private boolean hasReceived() {
        while (received < Ddpp.PREAMBLE_SIZE) {
            in.clear();
            in.add(memory, Ddpp.PREAMBLE_SIZE + received, Ddpp.PREAMBLE_SIZE - received);
            long count = channel.read(in);
            if (count == 0) {
                return false;
            }
            if (count == Channel.END_OF_STREAM) {
                throw notAPeer("it closed the connection after " + received + " bytes");
            }
            if (count < 0) {
                throw channel.failure();
            }
            received += (int) count;
            checkPreamble();
        }
        return true;
    }

    private void checkPreamble() {
        for (int i = 0; i < received; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, Ddpp.PREAMBLE_SIZE + i) != Ddpp.preamble(i)) {
                byte[] bytes = memory.asSlice(Ddpp.PREAMBLE_SIZE, received).toArray(ValueLayout.JAVA_BYTE);
                throw notAPeer("its stream begins with " + HexFormat.ofDelimiter(" ").formatHex(bytes) + ", and not with DDPP/1");
            }
        }
    }

    private PeerException notAPeer(String evidence) {
        return new PeerException(AbstractSocket.at(channel.remoteAddress()) + " is not a peer that speaks DDPP over TCP: " + evidence);
    }

    private void onTimeout() {
        if (!over) {
            fail(notAPeer("only " + received + " bytes of its preamble came in time"));
        }
    }

    private void onLoopClosed() {
        fail(new ClosedException("the context was closed before " + describe() + " was established"));
    }

    private void fail(VerbsException reason) {
        end();
        failed.accept(reason);
    }

    private void end() {
        over = true;
        cancelTimer();
        loop.remove(attempt);
        channel.close();
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Describes, for the message of a timeout, the event that the attempt waits for. */
    String waitsFor() {
        return connected ? "the peer did not send the preamble of DDPP" : "TCP did not connect";
    }

    /** Gives up, unless the channel is closed or handed over. Any thread calls it. */
    void abort() {
        loop.call(() -> {
            if (!over) {
                end();
            }
        });
    }
}
