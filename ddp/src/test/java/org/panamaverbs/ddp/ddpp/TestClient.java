package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** A client with a table of buffers, posted receives, and a log of all that DDPP does. It copies what is in place when DDPP delivers. */
final class TestClient implements UpperLayer {
    /** A delivered message. {@code bytes} are those that stood in the memory at that moment, in hexadecimal. */
    record Delivery(boolean decorated, int stag, long offset, String bytes, boolean notifying, int identifier) {
    }

    final List<Delivery> deliveries = new ArrayList<>();
    /** The reports of the layer below: {@code too long}, {@code bad tagged memory}, {@code bad untagged memory}. */
    final List<String> faults = new ArrayList<>();
    private final Map<Integer, RegisteredMemory> buffers = new HashMap<>();
    private final Deque<RegisteredMemory> receives = new ArrayDeque<>();
    /** Whether the next delivery of a decorated message is refused, as by a sink that throws. */
    boolean refuses;

    private int stag;
    private long offset;
    private RegisteredMemory place;

    /** Registers a new buffer of zeros, and returns it. */
    MemorySegment register(int key, long base, long size) {
        MemorySegment memory = Arena.ofAuto().allocate(size, 8);
        register(key, base, memory);
        return memory;
    }

    RegisteredMemory register(int key, long base, MemorySegment memory) {
        RegisteredMemory buffer = new RegisteredMemory(memory, this, 0, base, null);
        buffers.put(key, buffer);
        return buffer;
    }

    void deregister(int key) {
        RegisteredMemory gone = buffers.remove(key);
        gone.retire();
    }

    /** Posts a receive of so many bytes. */
    RegisteredMemory post(long size) {
        RegisteredMemory receive = new RegisteredMemory(Arena.ofAuto().allocate(Math.max(1, size)), this, 0);
        receives.add(receive);
        return receive;
    }

    int posted() {
        return receives.size();
    }

    /** The identifiers of the indications, in order; -1 stands for an undecorated message. */
    List<Integer> indications() {
        return deliveries.stream().filter(each -> !each.decorated() || each.notifying())
                .map(each -> each.decorated() ? each.identifier() : -1).toList();
    }

    @Override
    public boolean hasLocalPlace(int ulp) {
        throw new AssertionError("a question of RFC 5041");
    }

    @Override
    public boolean ownsBuffers(int queue) {
        throw new AssertionError("a question of RFC 5041");
    }

    @Override
    public int onTagged(int ulp, boolean last, int key, long at, int length, SgeCursor target) {
        if (target.remaining() != 0) {
            throw new AssertionError("the target is not empty");
        }
        RegisteredMemory found = buffers.get(key);
        if (found == null) {
            return TerminateCode.TAGGED_INVALID_STAG;
        }
        if (length != 0 && Long.compareUnsigned(at, -(long) length) > 0) {
            return TerminateCode.TAGGED_TO_WRAP;
        }
        if (!found.contains(at - found.base(), length)) {
            return TerminateCode.TAGGED_BOUNDS;
        }
        stag = key;
        offset = at;
        place = found;
        if (length > 0) {
            target.wrap(found, at - found.base(), length);
        }
        return TerminateCode.NONE;
    }

    @Override
    public int onUntagged(int queue, int ulp, SgeCursor target) {
        if (queue != 0 || ulp != 0 || target.remaining() != 0) {
            throw new AssertionError("queue " + queue + ", ulp " + ulp + ", target of " + target.remaining());
        }
        place = receives.peek();
        if (place == null) {
            return TerminateCode.UNTAGGED_NO_BUFFER;
        }
        target.wrap(place, 0, place.length());
        return TerminateCode.NONE;
    }

    @Override
    public int onChanged(int ulp) {
        throw new AssertionError("a message of DDPP has one header");
    }

    @Override
    public void onTooLong(int queue) {
        faults.add("too long");
    }

    @Override
    public int deliverTagged(int ulp, boolean last, int length) {
        if (refuses) {
            refuses = false;
            return TerminateCode.TAGGED_INVALID_STAG;
        }
        deliveries.add(new Delivery(true, stag, offset, hex(length == 0 ? 0 : offset - place.base(), length), last, ulp));
        return TerminateCode.NONE;
    }

    @Override
    public int deliverUntagged(int queue, int ulp, int word, long length) {
        receives.remove();
        deliveries.add(new Delivery(false, 0, 0, hex(0, length), false, 0));
        return TerminateCode.NONE;
    }

    private String hex(long at, long length) {
        return HexFormat.of().formatHex(place.segment().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public int onBadTaggedMemory(int ulp) {
        faults.add("bad tagged memory");
        return TerminateCode.TAGGED_INVALID_STAG;
    }

    @Override
    public int onBadUntaggedMemory(int queue) {
        faults.add("bad untagged memory");
        receives.remove();
        return TerminateCode.DDP_LOCAL_CATASTROPHIC;
    }
}
