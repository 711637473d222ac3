package org.panamaverbs.netty;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.local.LocalAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Each operation of a server's channel in each of its states. */
// Tested by TranscriptTest.
final class ServerTranscript {
    private static final int SECONDS = 60;

    private final TranscriptPlace place;
    private final Map<String, String> lines;

    ServerTranscript(TranscriptPlace place, Map<String, String> lines) {
        this.place = place;
        this.lines = lines;
    }

    private interface Step {
        Object run(ServerChannel channel) throws Exception;
    }

    private Map<String, Step> states() {
        Map<String, Step> states = new LinkedHashMap<>();
        states.put("fresh server", channel -> null);
        states.put("registered server", channel -> place.group.register(channel).sync());
        states.put("bound server", channel -> {
            place.group.register(channel).sync();
            return channel.bind(TranscriptPlace.loopback(0)).sync();
        });
        states.put("server that does not read", channel -> {
            channel.config().setAutoRead(false);
            place.group.register(channel).sync();
            return channel.bind(TranscriptPlace.loopback(0)).sync();
        });
        states.put("server, closed when fresh", channel -> {
            channel.unsafe().closeForcibly();
            return null;
        });
        states.put("server, closed when registered", channel -> {
            place.group.register(channel).sync();
            return Transcript.close(channel);
        });
        states.put("server, closed when bound", channel -> {
            place.group.register(channel).sync();
            channel.bind(TranscriptPlace.loopback(0)).sync();
            return Transcript.close(channel);
        });
        states.put("deregistered server", channel -> {
            place.group.register(channel).sync();
            channel.bind(TranscriptPlace.loopback(0)).sync();
            return channel.deregister().sync();
        });
        return states;
    }

    private Map<String, Step> operations() {
        Map<String, Step> all = new LinkedHashMap<>();
        all.put("nothing", channel -> "");
        all.put("addresses", channel -> Outcome.shape(channel.localAddress()) + " to " + Outcome.shape(channel.remoteAddress()));
        all.put("getters",
                channel -> channel.isWritable() + " " + channel.bytesBeforeUnwritable() + " " + channel.bytesBeforeWritable() + " "
                        + channel.metadata().hasDisconnect() + " " + channel.metadata().defaultMaxMessagesPerRead() + " " + channel.parent()
                        + " " + (channel.unsafe().outboundBuffer() == null));
        all.put("toString", Outcome::shape);
        all.put("bind", channel -> channel.bind(TranscriptPlace.loopback(0)));
        all.put("bind to a port in use", channel -> channel.bind(place.server.localAddress()));
        all.put("bind to a foreign address",
                channel -> channel.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] { (byte) 192, 0, 2, 1 }), 0)));
        all.put("bind to a name", channel -> channel.bind(InetSocketAddress.createUnresolved("localhost", 0)));
        all.put("bind to another kind", channel -> channel.bind(new LocalAddress("here")));
        all.put("bind to null", channel -> channel.bind(null));
        all.put("bind with the least backlog", channel -> {
            channel.config().setOption(ChannelOption.SO_BACKLOG, 0);
            return channel.bind(TranscriptPlace.loopback(0));
        });
        all.put("connect", channel -> channel.connect(place.server.localAddress()));
        all.put("connect from an address", channel -> channel.connect(place.server.localAddress(), TranscriptPlace.loopback(0)));
        all.put("disconnect", Channel::disconnect);
        all.put("close", Channel::close);
        all.put("close twice", channel -> {
            channel.close().sync();
            return channel.close();
        });
        all.put("deregister", Channel::deregister);
        all.put("register", channel -> place.group.register(channel));
        all.put("deregister and register", channel -> {
            channel.deregister().sync();
            return place.group.register(channel);
        });
        all.put("read", channel -> channel.read() == channel);
        all.put("flush", channel -> channel.flush() == channel);
        all.put("send a buffer", channel -> channel.writeAndFlush(Unpooled.EMPTY_BUFFER));
        all.put("send text", channel -> channel.writeAndFlush("text"));
        return all;
    }

    void write() throws Exception {
        for (Map.Entry<String, Step> state : states().entrySet()) {
            for (Map.Entry<String, Step> operation : operations().entrySet()) {
                if (state.getKey().equals("registered server") && operation.getKey().equals("read")) {
                    // Some time later NIO closes a channel that is not bound; ours waits until it is (docs/reference/suites.md).
                    continue;
                }
                if (state.getKey().startsWith("deregistered") && operation.getKey().matches("send.*|flush")) {
                    // Netty's own channel meets a NullPointerException then.
                    continue;
                }
                ServerChannel channel = place.newServerChannel();
                SeenEvents seen = new SeenEvents();
                channel.pipeline().addLast(seen);
                state.getValue().run(channel);
                String result = Outcome.of(() -> operation.getValue().run(channel));
                Transcript.barrier(channel);
                String after = (channel.isOpen() ? "open" : "closed") + (channel.isActive() ? " active" : "")
                        + (channel.isRegistered() ? " registered" : "") + (channel.closeFuture().isDone() ? " close future done" : "");
                if (channel.isRegistered()) {
                    channel.close().await(SECONDS, TimeUnit.SECONDS);
                    seen.awaitLast("unregistered");
                } else {
                    channel.unsafe().closeForcibly();
                }
                lines.put(state.getKey() + ": " + operation.getKey(), result + "; " + after + "; " + seen.text());
            }
        }
    }
}
