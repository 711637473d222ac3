package org.panamaverbs.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.sockets.VerbsServerSocket;
import org.panamaverbs.sockets.VerbsSocket;
import org.panamaverbs.sockets.VerbsSockets;

/**
 * One file by HTTP/1.0 over a byte stream. Its peers are programs that know sockets alone, and that librspreload puts on rsocket.
 *
 * <pre>
 * HttpFile serve ADDRESS PORT FILE             answers one request with the file
 * HttpFile fetch ADDRESS PORT PATH FILE        asks for a path, and writes the answer's body into the file
 * </pre>
 */
final class HttpFile {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String END_OF_HEADER = "\r\n\r\n";

    private HttpFile() {
    }

    /** Is either end. */
    public static void main(String[] arguments) throws IOException {
        InetSocketAddress address = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
        try (Verbs verbs = Verbs.open(Configuration.load()); VerbsSockets sockets = VerbsSockets.open(verbs)) {
            if (arguments[0].equals("serve")) {
                serve(sockets, address, Path.of(arguments[3]));
            } else {
                fetch(sockets, address, arguments[3], Path.of(arguments[4]));
            }
        }
    }

    private static void serve(VerbsSockets sockets, InetSocketAddress address, Path file) throws IOException {
        try (VerbsServerSocket server = sockets.listen(address, 1)) {
            System.out.println("listening on " + server.address());
            try (VerbsSocket socket = server.accept(SOON)) {
                socket.setTimeout(SOON);
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.inputStream(), StandardCharsets.US_ASCII));
                String request = in.readLine();
                while (!in.readLine().isEmpty()) {
                    // The header does not matter.
                }
                byte[] body = Files.readAllBytes(file);
                OutputStream out = socket.outputStream();
                out.write(("HTTP/1.0 200 OK\r\nContent-Length: " + body.length + END_OF_HEADER).getBytes(StandardCharsets.US_ASCII));
                out.write(body);
                out.flush();
                socket.shutdownOutput();
                while (in.read() >= 0) {
                    // The peer leaves when it has all.
                }
                System.out.println(request + ": " + body.length + " bytes to " + socket.remoteAddress());
            }
        }
    }

    private static void fetch(VerbsSockets sockets, InetSocketAddress address, String path, Path file) throws IOException {
        try (VerbsSocket socket = sockets.connect(address, SOON)) {
            socket.setTimeout(SOON);
            OutputStream out = socket.outputStream();
            out.write(("GET " + path + " HTTP/1.0" + END_OF_HEADER).getBytes(StandardCharsets.US_ASCII));
            out.flush();
            InputStream in = socket.inputStream();
            byte[] answer = in.readAllBytes();
            int header = new String(answer, StandardCharsets.ISO_8859_1).indexOf(END_OF_HEADER) + END_OF_HEADER.length();
            String status = new String(answer, 0, header, StandardCharsets.ISO_8859_1).lines().findFirst().orElse("");
            if (!status.contains(" 200 ")) {
                throw new IOException(address + " answers: " + status);
            }
            try (OutputStream copy = Files.newOutputStream(file)) {
                copy.write(answer, header, answer.length - header);
            }
            System.out.println(path + ": " + (answer.length - header) + " bytes from " + socket.remoteAddress());
        }
    }
}
