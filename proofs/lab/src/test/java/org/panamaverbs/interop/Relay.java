package org.panamaverbs.interop;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Stands between both ends of a TCP connection: shows their Request and Reply, and sets a flag in one of them, which neither end would set
 * by itself. The bytes behind the Reply pass as they are.
 *
 * <p>It passes the initiator's first FPDU on {@link #DELAY_MILLIS} after the Reply, as a network would. Without that, siw misses an FPDU that
 * comes before it looks for one: siw_accept sends the Reply before it installs siw_rtr_data_ready.
 */
final class Relay implements AutoCloseable {
    static final int DELAY_MILLIS = 200;

    private final InetSocketAddress target;
    private final int requestFlag;
    private final int replyFlag;
    private final ServerSocket server;
    /** What the initiator sent and the responder answered, before a flag was set; {@code null} where the stream ended instead. */
    private final CompletableFuture<StartFrame> request = new CompletableFuture<>();
    private final CompletableFuture<StartFrame> reply = new CompletableFuture<>();
    private volatile Socket near;
    private volatile Socket far;

    /** For one connection to {@code target}, over the same address; the flags are of {@link StartFrame}, or 0. */
    Relay(InetSocketAddress target, int requestFlag, int replyFlag) throws IOException {
        this.target = target;
        this.requestFlag = requestFlag;
        this.replyFlag = replyFlag;
        server = new ServerSocket(0, 1, target.getAddress());
        Thread.ofPlatform().daemon().start(this::forward);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** The Request, or {@code null} if none came. */
    StartFrame request() {
        return request.getNow(null);
    }

    /** The Reply, or {@code null} if none came. */
    StartFrame reply() {
        return reply.getNow(null);
    }

    private void forward() {
        try {
            near = server.accept();
            far = new Socket(target.getAddress(), target.getPort());
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(near.getInputStream());
            StartFrame asked = StartFrame.read(in);
            request.complete(asked);
            if (asked == null) {
                close();
                return;
            }
            far.getOutputStream().write(asked.with(requestFlag).bytes());
            Thread.ofPlatform().daemon().start(this::answer);
            reply.join();
            TimeUnit.MILLISECONDS.sleep(DELAY_MILLIS);
            pass(in, far);
        } catch (IOException e) {
            close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer() {
        try {
            DataInputStream in = new DataInputStream(far.getInputStream());
            StartFrame answered = StartFrame.read(in);
            // First: a test asks for the Reply as soon as the initiator has heard of it.
            reply.complete(answered);
            if (answered != null) {
                near.getOutputStream().write(answered.with(replyFlag).bytes());
            }
            pass(in, near);
        } catch (IOException e) {
            reply.complete(null);
            close();
        }
    }

    /** Until the end of the stream, which it passes on as well; a reset ends both. */
    private static void pass(InputStream in, Socket to) throws IOException {
        OutputStream out = to.getOutputStream();
        in.transferTo(out);
        to.shutdownOutput();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : new Socket[] { near, far }) {
                if (socket != null) {
                    socket.close();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
