package org.panamaverbs.ddp.socket;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.panamaverbs.ddp.BufferAttributes;
import org.panamaverbs.ddp.DdpBuffer;
import org.panamaverbs.ddp.DdpGroup;
import org.panamaverbs.ddp.PlacementListener;
import org.panamaverbs.ddp.RegisteredBuffer;
import org.panamaverbs.ddp.buffers.Buffers;
import org.panamaverbs.ddp.buffers.PostedReceives;
import org.panamaverbs.spi.support.Children;

/** A group of sockets. */
final class SoftDdpGroup implements DdpGroup {
    private static final int MAXIMUM_RECEIVES = 65_536;

    private final SoftDdpContext context;
    private final Buffers buffers;
    private final PostedReceives receives = new PostedReceives(MAXIMUM_RECEIVES);
    private final Children children = new Children("the group");

    SoftDdpGroup(SoftDdpContext context) {
        this.context = context;
        this.buffers = context.newBuffers();
    }

    SoftDdpContext context() {
        return context;
    }

    Buffers buffers() {
        return buffers;
    }

    PostedReceives receives() {
        return receives;
    }

    Children children() {
        return children;
    }

    @Override
    public RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes) {
        return register(memory, attributes, null);
    }

    @Override
    public RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes, PlacementListener listener) {
        children.check();
        return Registrations.register(buffers, memory, attributes, listener);
    }

    @Override
    public RegisteredBuffer register(DdpBuffer buffer, BufferAttributes attributes) {
        children.check();
        return buffers.register(Objects.requireNonNull(buffer), Objects.requireNonNull(attributes));
    }

    @Override
    public boolean tryPostReceive(RegisteredBuffer buffer, long offset, long length) {
        children.check();
        return receives.post(Registrations.forReceive(buffer, offset, length, buffers), offset, length);
    }

    @Override
    public void close() {
        if (children.close()) {
            buffers.close();
            context.children().remove(this);
        }
    }
}
