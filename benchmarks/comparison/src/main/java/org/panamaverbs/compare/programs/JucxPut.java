package org.panamaverbs.compare.programs;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * Puts of UCX by its Java binding: {@code JucxPut probe} only loads its native library; {@code JucxPut serve SIZE} lends a buffer to one
 * peer; {@code JucxPut PORT SIZE} and the arguments of {@link Timed} put into it on loopback. The environment variables of UCX say what it may use.
 */
public final class JucxPut {
    private static final int DEPTH = 16;

    private final UcpWorker worker;
    private int outstanding;
    private String failure;
    private final UcxCallback done = new UcxCallback() {
        @Override
        public void onSuccess(UcpRequest request) {
            outstanding--;
        }

        @Override
        public void onError(int status, String message) {
            failure = message;
        }
    };

    private JucxPut(UcpWorker worker) {
        this.worker = worker;
    }

    /** Is either end. */
    public static void main(String[] arguments) throws Exception {
        try (UcpContext context = new UcpContext(new UcpParams().requestRmaFeature());
                UcpWorker worker = context.newWorker(new UcpWorkerParams())) {
            if (arguments[0].equals("probe")) {
                System.out.println("loaded");
            } else if (arguments[0].equals("serve")) {
                serve(context, worker, Integer.parseInt(arguments[1]));
            } else {
                measure(worker, arguments);
            }
        }
    }

    private static void serve(UcpContext context, UcpWorker worker, int size) throws Exception {
        UcpMemory memory = context.registerMemory(ByteBuffer.allocateDirect(size));
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Timed.listening(listener.getLocalPort());
            try (Socket peer = listener.accept()) {
                DataOutputStream out = new DataOutputStream(peer.getOutputStream());
                send(out, worker.getAddress());
                out.writeLong(memory.getAddress());
                send(out, memory.getRemoteKeyBuffer());
                peer.setSoTimeout(1);
                boolean left = false;
                while (!left) {
                    for (int i = 0; i < 100_000; i++) {
                        worker.progress();
                    }
                    left = hasLeft(peer);
                }
            }
        } finally {
            memory.deregister();
        }
    }

    private static boolean hasLeft(Socket peer) throws IOException {
        try {
            return peer.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        }
    }

    private static void measure(UcpWorker worker, String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[1]);
        ByteBuffer source = ByteBuffer.allocateDirect(size);
        try (Socket peer = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]))) {
            DataInputStream in = new DataInputStream(peer.getInputStream());
            UcpEndpoint endpoint = worker.newEndpoint(new UcpEndpointParams().setUcpAddress(receive(in)));
            long address = in.readLong();
            UcpRemoteKey key = endpoint.unpackRemoteKey(receive(in));
            JucxPut puts = new JucxPut(worker);
            new Timed(arguments).measure(size, () -> {
                puts.awaitOutstanding(DEPTH - 1);
                puts.outstanding++;
                endpoint.putNonBlocking(source, address, key, puts.done);
            }, () -> {
                puts.outstanding++;
                endpoint.flushNonBlocking(puts.done);
                puts.awaitOutstanding(0);
            });
            key.close();
            endpoint.close();
        }
    }

    private void awaitOutstanding(int most) throws Exception {
        while (outstanding > most) {
            if (failure != null) {
                throw new IOException("a put failed: " + failure);
            }
            worker.progress();
        }
    }

    private static void send(DataOutputStream out, ByteBuffer bytes) throws IOException {
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        out.writeInt(array.length);
        out.write(array);
    }

    private static ByteBuffer receive(DataInputStream in) throws IOException {
        byte[] array = in.readNBytes(in.readInt());
        return ByteBuffer.allocateDirect(array.length).put(array).flip();
    }
}
