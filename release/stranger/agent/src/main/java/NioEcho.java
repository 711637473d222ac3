import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** An echo by channels of the JDK: it has no word of verbs. */
class NioEcho {
    public static void main(String[] arguments) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            Thread echo = Thread.startVirtualThread(() -> echo(server));
            try (SocketChannel client = SocketChannel.open(server.getLocalAddress())) {
                client.write(ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8)));
                client.shutdownOutput();
                System.out.println("echo: " + StandardCharsets.UTF_8.decode(readAll(client)));
            }
            echo.join();
        }
    }

    private static void echo(ServerSocketChannel server) {
        try (SocketChannel channel = server.accept()) {
            channel.write(readAll(channel));
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    private static ByteBuffer readAll(SocketChannel channel) throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(100);
        while (channel.read(bytes) >= 0) {
        }
        return bytes.flip();
    }
}
