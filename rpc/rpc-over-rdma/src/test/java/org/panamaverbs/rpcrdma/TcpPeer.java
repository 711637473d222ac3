package org.panamaverbs.rpcrdma;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A client of plain sockets: sends any bytes, and reads replies only if it is asked to. */
final class TcpPeer implements AutoCloseable {
    private static final int LAST = 0x80000000;
    private static final int PATIENCE_MILLIS = 60_000;
    private final Socket socket = new Socket();
    private final DataOutputStream out;
    private final DataInputStream in;

    TcpPeer(InetSocketAddress service) throws IOException {
        // Little room, so that replies that it does not take stay with the service soon.
        socket.setReceiveBufferSize(16 << 10);
        socket.connect(service);
        socket.setSoTimeout(PATIENCE_MILLIS);
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        in = new DataInputStream(socket.getInputStream());
    }

    /** A call without credentials. */
    void call(int xid, int version, int procedure, int... arguments) throws IOException {
        int[] words = new int[10 + arguments.length];
        System.arraycopy(
                new int[] { xid, 0, version, TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), procedure, 0, 0, 0, 0 }, 0,
                words, 0, 10);
        System.arraycopy(arguments, 0, words, 10, arguments.length);
        fragment(true, words);
    }

    void fragment(boolean last, int... words) throws IOException {
        mark(last, 4 * words.length);
        for (int word : words) {
            out.writeInt(word);
        }
        out.flush();
    }

    void mark(boolean last, int length) throws IOException {
        out.writeInt(length | (last ? LAST : 0));
        out.flush();
    }

    /** Reads a reply of one fragment: its words. */
    int[] reply() throws IOException {
        int length = in.readInt() & ~LAST;
        int[] words = new int[length / 4];
        for (int i = 0; i < words.length; i++) {
            words[i] = in.readInt();
        }
        return words;
    }

    /** Whether the service ends the connection; a reset is an end, too. */
    boolean isEnded() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
