package org.panamaverbs.sockets;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connector;

/** The stage of a socket that connects, and the listener of its stream. */
// Tested by ConnectStagesTest.
final class PendingConnect extends PendingStage<VerbsSocket> implements StreamListener {
    private enum State {
        CONNECTING,
        /** The stage has its outcome. */
        OVER,
        /** The program does not want the socket any more. */
        WITHDRAWN
    }

    private final StreamOptions options;
    private final AtomicReference<State> state = new AtomicReference<>(State.CONNECTING);
    /** Written before the stream exists. */
    private @Nullable SocketLoop loop;
    private @Nullable SocketStages stages;
    /** {@code null} until it exists; another thread may withdraw the stage before and after. */
    private volatile @Nullable ByteStream stream;
    private @Nullable VerbsSocket socket;

    PendingConnect(StreamOptions options) {
        this.options = options;
    }

    /** Begins to connect; called by a worker, since a device may take its time to find the route. */
    void begin(Supplier<Connector> source, Function<Device, SocketLoop> loops) {
        try {
            connect(source.get(), loops);
        } catch (RuntimeException | Error e) {
            fail(StreamOpening.failure(e));
        }
        if (stream != null && (state.get() == State.WITHDRAWN || loop().isClosed())) {
            stream.abort();
            fail(reason(StreamLife.CLOSED));
        }
    }

    private void connect(Connector connector, Function<Device, SocketLoop> loops) {
        try {
            loop = loops.apply(connector.device());
            stages = new SocketStages(loop);
            stream = loop.streams().connect(connector, Verbs.FOREVER, options, this);
        } catch (RuntimeException | Error e) {
            connector.close();
            throw e;
        }
    }

    private SocketLoop loop() {
        return Objects.requireNonNull(loop);
    }

    private SocketStages stages() {
        return Objects.requireNonNull(stages);
    }

    private void fail(IOException failure) {
        if (state.compareAndSet(State.CONNECTING, State.OVER)) {
            finish(failure);
        }
    }

    @Override
    public void changed(ByteStream changed) {
        if (state.get() != State.CONNECTING) {
            stages().changed(changed);
            return;
        }
        IOException failure = changed.failure();
        if (failure != null) {
            changed.close();
            fail(reason(failure));
        } else if (changed.isConnected() || changed.hasEnded()) {
            socket = new VerbsSocket(loop(), changed, stages());
            if (state.compareAndSet(State.CONNECTING, State.OVER)) {
                finish(null);
            }
        }
    }

    private static IOException reason(IOException failure) {
        try {
            return failure == StreamLife.CLOSED ? new AsynchronousCloseException() : ConnectFailures.asOfJdk(failure);
        } catch (OutOfMemoryError e) {
            return failure;
        }
    }

    @Override
    boolean withdraw() {
        boolean withdrawn = state.compareAndSet(State.CONNECTING, State.WITHDRAWN);
        if (withdrawn && stream != null) {
            stream.abort();
        }
        return withdrawn;
    }

    @Override
    VerbsSocket result() {
        return Objects.requireNonNull(socket);
    }
}
