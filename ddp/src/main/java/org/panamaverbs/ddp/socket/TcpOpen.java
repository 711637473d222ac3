package org.panamaverbs.ddp.socket;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.function.Function;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.ddpp.Ddpp;
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;

/** Establishes a stream of DDPP core over TCP: both sides send the preamble at once, and wait for the other's. */
final class TcpOpen extends Opening<StreamSocket> {
    private final Function<TcpOpen, StreamSocket> taker;
    private final MemorySegment memory;
    private final IoVector out = new IoVector(1);
    private final IoVector in = new IoVector(1);
    private int received;

    /**
     * Makes one.
     *
     * @param taker  called by the leader when both preambles are exchanged
     * @param failed called by the leader if the stream cannot be established
     */
    TcpOpen(EventLoop loop, Function<TcpOpen, StreamSocket> taker, Consumer<VerbsException> failed) {
        super(loop, MpaStreams.START_NANOS, failed);
        this.memory = MemorySegment.ofArray(new byte[2 * Ddpp.PREAMBLE_SIZE]);
        this.taker = taker;
        Ddpp.putPreamble(memory, 0);
        out.add(memory, 0, Ddpp.PREAMBLE_SIZE);
    }

    @Override
    protected String waitsFor() {
        return isConnected() ? "the peer did not send the preamble of DDPP" : "TCP did not connect";
    }

    /** The peer's preamble. */
    MemorySegment preamble() {
        return memory.asSlice(Ddpp.PREAMBLE_SIZE, Ddpp.PREAMBLE_SIZE);
    }

    @Override
    protected void advance() {
        if (hasSent() && hasReceived()) {
            agree();
        }
    }

    private boolean hasSent() {
        while (out.size() > 0) {
            long count = write(out);
            if (count < 0) {
                throw channel().failure();
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
            long count = read(in);
            if (count == 0) {
                return false;
            }
            if (count == Channel.END_OF_STREAM) {
                throw notAPeer("it closed the connection after " + received + " bytes");
            }
            if (count < 0) {
                throw channel().failure();
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
        return new PeerException(Route.text(channel().remoteAddress()) + " is not a peer that speaks DDPP over TCP: " + evidence);
    }

    @Override
    protected void onTimeout() {
        fail(notAPeer("only " + received + " bytes of its preamble came in time"));
    }

    @Override
    protected StreamSocket take() {
        return taker.apply(this);
    }
}
