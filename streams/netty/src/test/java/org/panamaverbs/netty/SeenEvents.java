package org.panamaverbs.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayList;
import java.util.List;

/** The events of a channel in their order. Reads that follow each other are one: their number depends on the network. */
final class SeenEvents extends ChannelInboundHandlerAdapter {
    private static final long MILLIS = 60_000;

    // Guarded by this.
    private final List<String> events = new ArrayList<>();
    private int bytes;
    private int allBytes;

    synchronized void add(String event) {
        flush();
        events.add(event);
        notifyAll();
    }

    private void flush() {
        if (bytes > 0) {
            events.add(bytes + " bytes");
            bytes = 0;
        }
    }

    /** Waits for an event. */
    synchronized void await(String event) throws InterruptedException {
        long end = System.currentTimeMillis() + MILLIS;
        while (events.stream().noneMatch(event::equals) && System.currentTimeMillis() < end) {
            wait(MILLIS);
        }
        if (!events.contains(event)) {
            throw new IllegalStateException("no " + event + " in " + events);
        }
    }

    /** Waits until this is the last event. */
    synchronized void awaitLast(String event) throws InterruptedException {
        long end = System.currentTimeMillis() + MILLIS;
        while (!(bytes == 0 && !events.isEmpty() && events.getLast().equals(event)) && System.currentTimeMillis() < end) {
            wait(Math.max(1, end - System.currentTimeMillis()));
        }
        if (events.isEmpty() || !events.getLast().equals(event)) {
            events.add("no " + event + " within the limit");
        }
    }

    /** Waits for so many bytes. */
    synchronized void awaitBytes(int count) throws InterruptedException {
        long end = System.currentTimeMillis() + MILLIS;
        while (allBytes < count && System.currentTimeMillis() < end) {
            wait(MILLIS);
        }
        if (allBytes < count) {
            throw new IllegalStateException("no " + count + " bytes in " + events);
        }
    }

    synchronized String text() {
        flush();
        return String.join(", ", events);
    }

    @Override
    public void channelRegistered(ChannelHandlerContext context) {
        add("registered");
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext context) {
        add("unregistered");
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        add("active");
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        add("inactive");
    }

    @Override
    public synchronized void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf buffer) {
            bytes += buffer.readableBytes();
            allBytes += buffer.readableBytes();
            notifyAll();
            buffer.release();
        } else {
            add("read");
            context.fireChannelRead(message);
        }
    }

    @Override
    public synchronized void channelReadComplete(ChannelHandlerContext context) {
        // After bytes it comes as often as the network delivers.
        if (bytes == 0) {
            add("read complete");
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        add(event.getClass().getSimpleName());
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        add("writability " + context.channel().isWritable());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        add("exception " + Outcome.name(cause));
    }
}
