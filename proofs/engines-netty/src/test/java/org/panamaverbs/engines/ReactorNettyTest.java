package org.panamaverbs.engines;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.panamaverbs.netty.VerbsServerSocketChannel;
import org.panamaverbs.netty.VerbsSocketChannel;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufFlux;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/** HTTP by reactor-netty over verbs, by its {@link LoopResources} alone. Its own tests are not published. */
class ReactorNettyTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int REQUESTS = 200;
    private static final int CONNECTIONS = 8;

    private static final class VerbsLoops implements LoopResources {
        private final AtomicReference<Class<?>> used = new AtomicReference<>();

        @Override
        public EventLoopGroup onServer(boolean useNative) {
            return Loops.group();
        }

        @Override
        public <T extends Channel> T onChannel(Class<T> type, EventLoopGroup group) {
            Class<? extends T> known = onChannelClass(type, group);
            try {
                return known.getConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException(e);
            }
        }

        @Override
        public <T extends Channel> Class<? extends T> onChannelClass(Class<T> type, EventLoopGroup group) {
            Class<? extends Channel> known;
            if (type == ServerSocketChannel.class) {
                known = VerbsServerSocketChannel.class;
            } else if (type == SocketChannel.class) {
                known = VerbsSocketChannel.class;
                used.set(known);
            } else {
                throw new IllegalArgumentException("no channel of verbs is a " + type.getName());
            }
            return known.asSubclass(type);
        }
    }

    @Test
    void shouldServeHttp() {
        byte[] body = new byte[1 << 20];
        new Random(30).nextBytes(body);
        VerbsLoops loops = new VerbsLoops();
        DisposableServer server = HttpServer.create().host("127.0.0.1").port(0).runOn(loops)
                .route(routes -> routes.post("/echo", (request, response) -> response.send(request.receive().retain())).get("/short",
                        (request, response) -> response.sendString(Mono.just("answer"))))
                .bindNow(LIMIT);
        ConnectionProvider connections = ConnectionProvider.create("verbs", CONNECTIONS);
        try {
            HttpClient client = HttpClient.create(connections).runOn(loops).remoteAddress(server::address);
            byte[] echo = client.post().uri("/echo").send(ByteBufFlux.fromInbound(Flux.just(body))).responseContent().aggregate()
                    .asByteArray().block(LIMIT);
            assertArrayEquals(body, echo);
            Long answers = Flux.range(0, REQUESTS)
                    .flatMap(i -> client.get().uri("/short").responseContent().aggregate().asString(), CONNECTIONS).filter("answer"::equals)
                    .count().block(LIMIT);
            assertEquals(REQUESTS, answers);
            assertEquals(VerbsSocketChannel.class, loops.used.get());
        } finally {
            connections.disposeLater().block(LIMIT);
            server.disposeNow(LIMIT);
        }
    }
}
