package org.panamaverbs.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Each operation of a client's channel in each of its states, with the result, the channel after it, and all events. */
// Tested by TranscriptTest.
final class Transcript {
    private static final int BRIEFLY_MILLIS = 50;
    private static final int SECONDS = 60;

    private final TranscriptPlace place;
    /** By state and operation. */
    private final Map<String, String> lines;

    Transcript(TranscriptPlace place, Map<String, String> lines) {
        this.place = place;
        this.lines = lines;
    }

    /** A channel in some state. */
    private final class Subject {
        private final SocketChannel channel = place.newChannel();
        private final SeenEvents seen = new SeenEvents();
        private SocketChannel peer;

        Subject() {
            channel.pipeline().addLast(seen);
        }

        Subject register() throws InterruptedException {
            place.group.register(channel).sync();
            return this;
        }

        Subject connect() throws InterruptedException {
            place.forgetPeers();
            channel.connect(place.server.localAddress()).sync();
            peer = place.nextPeer();
            return this;
        }

        Subject closes() throws InterruptedException {
            Transcript.close(channel);
            return this;
        }
    }

    /** Brings a channel into a state. */
    private interface State {
        Subject enter() throws Exception;
    }

    private interface Operation {
        Object run(Subject subject) throws Exception;
    }

    private Map<String, State> states() {
        Map<String, State> states = new LinkedHashMap<>();
        states.put("fresh", Subject::new);
        states.put("registered", () -> new Subject().register());
        states.put("bound", () -> {
            Subject subject = new Subject().register();
            subject.channel.bind(TranscriptPlace.loopback(0)).sync();
            return subject;
        });
        states.put("connecting", () -> {
            Subject subject = new Subject().register();
            subject.channel.connect(place.silent());
            barrier(subject.channel);
            return subject;
        });
        states.put("connected", () -> new Subject().register().connect());
        states.put("bound and connected", () -> {
            Subject subject = new Subject().register();
            subject.channel.bind(TranscriptPlace.loopback(0)).sync();
            return subject.connect();
        });
        states.put("input shut", () -> {
            Subject subject = new Subject().register().connect();
            subject.channel.shutdownInput().sync();
            return subject;
        });
        states.put("output shut", () -> {
            Subject subject = new Subject().register().connect();
            subject.channel.shutdownOutput().sync();
            return subject;
        });
        states.put("both shut", () -> {
            Subject subject = new Subject().register().connect();
            subject.channel.shutdown().sync();
            return subject;
        });
        states.put("peer's output shut, half closure", () -> {
            Subject subject = new Subject().register();
            subject.channel.config().setAllowHalfClosure(true);
            subject.connect().peer.shutdownOutput().sync();
            subject.seen.await("ChannelInputShutdownReadComplete");
            return subject;
        });
        states.put("peer's output shut", () -> {
            Subject subject = new Subject().register().connect();
            subject.peer.shutdownOutput().sync();
            subject.seen.await("unregistered");
            return subject;
        });
        states.put("peer closed", () -> {
            Subject subject = new Subject().register().connect();
            subject.peer.close().sync();
            subject.seen.await("unregistered");
            return subject;
        });
        states.put("closed when fresh", () -> {
            Subject subject = new Subject();
            subject.channel.unsafe().closeForcibly();
            return subject;
        });
        states.put("closed when registered", () -> new Subject().register().closes());
        states.put("closed when connected", () -> new Subject().register().connect().closes());
        states.put("refused", () -> {
            Subject subject = new Subject().register();
            subject.channel.connect(TranscriptPlace.refusing()).await();
            subject.seen.awaitLast("unregistered");
            return subject;
        });
        states.put("timed out", () -> {
            Subject subject = new Subject().register();
            subject.channel.config().setConnectTimeoutMillis(BRIEFLY_MILLIS);
            subject.channel.connect(place.silent()).await();
            subject.seen.awaitLast("unregistered");
            return subject;
        });
        states.put("deregistered", () -> {
            Subject subject = new Subject().register().connect();
            subject.channel.deregister().sync();
            return subject;
        });
        return states;
    }

    private Map<String, Operation> operations() {
        Map<String, Operation> all = new LinkedHashMap<>();
        all.put("nothing", subject -> "");
        all.put("addresses",
                subject -> Outcome.shape(subject.channel.localAddress()) + " to " + Outcome.shape(subject.channel.remoteAddress()));
        all.put("getters",
                subject -> subject.channel.isWritable() + " " + subject.channel.bytesBeforeUnwritable() + " "
                        + subject.channel.bytesBeforeWritable() + " " + subject.channel.metadata().hasDisconnect() + " "
                        + subject.channel.metadata().defaultMaxMessagesPerRead() + " " + subject.channel.parent() + " "
                        + (subject.channel.unsafe().outboundBuffer() == null));
        all.put("toString", subject -> Outcome.shape(subject.channel));
        all.put("bind", subject -> subject.channel.bind(TranscriptPlace.loopback(0)));
        all.put("bind to a port in use", subject -> subject.channel.bind(place.server.localAddress()));
        all.put("bind to a foreign address", subject -> subject.channel.bind(new InetSocketAddress(foreign(), 0)));
        all.put("bind to a name", subject -> subject.channel.bind(InetSocketAddress.createUnresolved("localhost", 0)));
        all.put("bind to another kind", subject -> subject.channel.bind(new LocalAddress("here")));
        all.put("bind to null", subject -> subject.channel.bind(null));
        all.put("connect", subject -> subject.channel.connect(place.server.localAddress()));
        all.put("connect, refused", subject -> subject.channel.connect(TranscriptPlace.refusing()));
        all.put("connect, timed out", subject -> {
            subject.channel.config().setConnectTimeoutMillis(BRIEFLY_MILLIS);
            return subject.channel.connect(place.silent());
        });
        all.put("connect to a name", subject -> subject.channel.connect(InetSocketAddress.createUnresolved("localhost", 1)));
        all.put("connect to another kind", subject -> subject.channel.connect(new LocalAddress("there")));
        all.put("connect to null", subject -> subject.channel.connect(null));
        all.put("connect from an address", subject -> subject.channel.connect(place.server.localAddress(), TranscriptPlace.loopback(0)));
        all.put("connect from a foreign address",
                subject -> subject.channel.connect(place.server.localAddress(), new InetSocketAddress(foreign(), 0)));
        all.put("connect from a port in use", subject -> subject.channel.connect(place.server.localAddress(), place.server.localAddress()));
        all.put("connect from a name",
                subject -> subject.channel.connect(place.server.localAddress(), InetSocketAddress.createUnresolved("localhost", 0)));
        all.put("connect with a cancelled promise", subject -> {
            ChannelPromise promise = subject.channel.newPromise();
            promise.cancel(false);
            return subject.channel.connect(place.server.localAddress(), promise);
        });
        all.put("connect and cancel", subject -> {
            ChannelFuture future = subject.channel.connect(place.silent());
            subject.channel.eventLoop().submit(() -> future.cancel(false)).sync();
            return future;
        });
        all.put("disconnect", subject -> subject.channel.disconnect());
        all.put("close", subject -> subject.channel.close());
        all.put("close twice", subject -> {
            subject.channel.close().sync();
            return subject.channel.close();
        });
        all.put("close with a cancelled promise", subject -> {
            ChannelPromise promise = subject.channel.newPromise();
            promise.cancel(false);
            return subject.channel.close(promise);
        });
        all.put("deregister", subject -> subject.channel.deregister());
        all.put("register", subject -> place.group.register(subject.channel));
        all.put("deregister and register", subject -> {
            subject.channel.deregister().sync();
            return place.group.register(subject.channel);
        });
        all.put("read", subject -> subject.channel.read() == subject.channel);
        all.put("flush", subject -> subject.channel.flush() == subject.channel);
        all.put("shut down the input", subject -> subject.channel.shutdownInput());
        all.put("shut down the output", subject -> subject.channel.shutdownOutput());
        all.put("shut down both", subject -> subject.channel.shutdown());
        all.put("shut down the output twice", subject -> {
            subject.channel.shutdownOutput().await();
            return subject.channel.shutdownOutput();
        });
        all.put("write and close", subject -> {
            ChannelFuture written = subject.channel.write(Unpooled.copyInt(1));
            ChannelFuture closed = subject.channel.close();
            return Outcome.of(written) + ", " + Outcome.of(closed);
        });
        all.put("write and shut down the output", subject -> {
            ChannelFuture written = subject.channel.write(Unpooled.copyInt(1));
            ChannelFuture shut = subject.channel.shutdownOutput();
            return Outcome.of(written) + ", " + Outcome.of(shut);
        });
        all.put("write by the void promise",
                subject -> subject.channel.writeAndFlush(Unpooled.copyInt(1), subject.channel.voidPromise()).isVoid());
        addMessages(all);
        return all;
    }

    private void addMessages(Map<String, Operation> all) {
        ByteBufAllocator alloc = ByteBufAllocator.DEFAULT;
        all.put("send a heap buffer", subject -> send(subject, alloc.heapBuffer().writeZero(100)));
        all.put("send a direct buffer", subject -> send(subject, alloc.directBuffer().writeZero(100)));
        all.put("send a composite buffer", subject -> send(subject,
                alloc.compositeBuffer().addComponents(true, alloc.heapBuffer().writeZero(50), alloc.directBuffer().writeZero(50))));
        all.put("send a read-only buffer", subject -> send(subject, alloc.heapBuffer().writeZero(100).asReadOnly()));
        all.put("send a wrapped buffer", subject -> send(subject, Unpooled.wrappedBuffer(new byte[100])));
        all.put("send a part of a buffer", subject -> send(subject, alloc.directBuffer().writeZero(200).readerIndex(100)));
        all.put("send an empty buffer", subject -> send(subject, alloc.directBuffer()));
        all.put("send the empty buffer", subject -> send(subject, Unpooled.EMPTY_BUFFER));
        all.put("send a released buffer", subject -> {
            ByteBuf buffer = alloc.heapBuffer().writeZero(100);
            buffer.release();
            return subject.channel.writeAndFlush(buffer);
        });
        all.put("send a released direct buffer", subject -> {
            ByteBuf buffer = alloc.directBuffer().writeZero(100);
            buffer.release();
            return subject.channel.writeAndFlush(buffer);
        });
        all.put("send a file", subject -> send(subject, new DefaultFileRegion(place.file(), 0, 100)));
        all.put("send no byte of a file", subject -> send(subject, new DefaultFileRegion(place.file(), 0, 0)));
        all.put("send more than a file has", subject -> send(subject, new DefaultFileRegion(place.file(), 0, 200)));
        all.put("send from behind a file", subject -> send(subject, new DefaultFileRegion(place.file(), 300, 100)));
        all.put("send text", subject -> subject.channel.writeAndFlush("text"));
        all.put("send null", subject -> subject.channel.writeAndFlush(null));
        all.put("send with a cancelled promise", subject -> {
            ChannelPromise promise = subject.channel.newPromise();
            promise.cancel(false);
            ByteBuf buffer = alloc.directBuffer().writeZero(100);
            return Outcome.of(subject.channel.writeAndFlush(buffer, promise)) + ", " + buffer.refCnt() + " references";
        });
    }

    /** An address of documentation (RFC 5737), which no machine has. */
    private static InetAddress foreign() throws Exception {
        return InetAddress.getByAddress(new byte[] { (byte) 192, 0, 2, 1 });
    }

    /** Sends a message, and names what came at the peer, if it is still there. */
    private static Object send(Subject subject, ReferenceCounted message) throws InterruptedException {
        try {
            ChannelFuture sent = subject.channel.writeAndFlush(message);
            String result = Outcome.of(sent);
            if (sent.isSuccess() && !(message instanceof ByteBuf buffer && buffer.capacity() == 0 && buffer == Unpooled.EMPTY_BUFFER)) {
                result += ", " + (message.refCnt() == 0 ? "released" : message.refCnt() + " references");
            }
            return result;
        } catch (IllegalStateException e) {
            ReferenceCountUtil.safeRelease(message);
            return "throws " + Outcome.name(e);
        }
    }

    void write() throws Exception {
        Map<String, Operation> operations = operations();
        for (Map.Entry<String, State> state : states().entrySet()) {
            for (Map.Entry<String, Operation> operation : operations.entrySet()) {
                if (state.getKey().equals("deregistered") && operation.getKey().matches("send .*|write .*|shut .*|flush")) {
                    // Netty's own channel meets a NullPointerException then, and does not answer.
                    continue;
                }
                if (operation.getKey().contains("released") && !state.getKey().equals("connected")) {
                    // Netty logs each with two stacks.
                    continue;
                }
                Subject subject = state.getValue().enter();
                String result = Outcome.of(() -> operation.getValue().run(subject));
                barrier(subject.channel);
                String after = flags(subject.channel);
                end(subject);
                lines.put(state.getKey() + ": " + operation.getKey(), result + "; " + after + "; " + subject.seen.text()
                        + (subject.peer == null ? "" : "; peer " + subject.peer.attr(TranscriptPlace.SEEN).get().text()));
            }
        }
    }

    /** Closes a channel, and waits until it is no longer registered. */
    static ChannelFuture close(Channel channel) throws InterruptedException {
        ChannelFuture closed = channel.close().sync();
        while (channel.isRegistered()) {
            barrier(channel);
        }
        return closed;
    }

    /** All tasks of the event loop have run, also those that they gave it. */
    static void barrier(Channel channel) throws InterruptedException {
        for (int i = 0; i < 3 && hasEventLoop(channel); i++) {
            channel.eventLoop().submit(() -> {
            }).await(SECONDS, TimeUnit.SECONDS);
        }
    }

    private static boolean hasEventLoop(Channel channel) {
        try {
            return channel.eventLoop() != null;
        } catch (IllegalStateException e) {
            // It was never registered.
            return false;
        }
    }

    private static String flags(SocketChannel channel) {
        return (channel.isOpen() ? "open" : "closed") + (channel.isActive() ? " active" : "")
                + (channel.isRegistered() ? " registered" : "") + (channel.isInputShutdown() ? " input shut" : "")
                + (channel.isOutputShutdown() ? " output shut" : "") + (channel.closeFuture().isDone() ? " close future done" : "");
    }

    private void end(Subject subject) throws InterruptedException {
        SocketChannel channel = subject.channel;
        if (channel.isRegistered()) {
            channel.close().await(SECONDS, TimeUnit.SECONDS);
            subject.seen.awaitLast("unregistered");
        } else {
            channel.unsafe().closeForcibly();
        }
        if (subject.peer != null) {
            SeenEvents seen = subject.peer.attr(TranscriptPlace.SEEN).get();
            if (subject.peer.isOpen()) {
                seen.awaitLast("ChannelInputShutdownReadComplete");
            }
            subject.peer.close().await(SECONDS, TimeUnit.SECONDS);
            seen.awaitLast("unregistered");
        }
    }

}
