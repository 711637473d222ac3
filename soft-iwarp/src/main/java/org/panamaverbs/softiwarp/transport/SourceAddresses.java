package org.panamaverbs.softiwarp.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;

/**
 * The addresses of a port's last sources. Finding a source that is here allocates nothing; however many sources a hostile peer makes up,
 * the cache does not grow. For the receiving thread.
 */
public final class SourceAddresses {
    private static final int SETS = 64;
    private static final int WAYS = 4;

    /** Makes an address of the bytes in which a kind of port keeps a source. */
    public interface Form {
        InetSocketAddress decode(MemorySegment memory, long offset, int length);
    }

    private final Form form;
    private final byte[][] raw = new byte[SETS * WAYS][];
    private final InetSocketAddress[] addresses = new InetSocketAddress[SETS * WAYS];
    private int victim;

    public SourceAddresses(Form form) {
        this.form = form;
    }

    /** The address in a raw source. */
    InetSocketAddress find(MemorySegment memory, long offset, int length) {
        int hash = 0;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + memory.get(ValueLayout.JAVA_BYTE, offset + i);
        }
        int set = ((hash ^ hash >>> 16) & SETS - 1) * WAYS;
        for (int slot = set; slot < set + WAYS; slot++) {
            if (raw[slot] != null && matches(raw[slot], memory, offset, length)) {
                return addresses[slot];
            }
        }
        int slot = set + (victim++ & WAYS - 1);
        InetSocketAddress address = form.decode(memory, offset, length);
        raw[slot] = memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        addresses[slot] = address;
        return address;
    }

    private static boolean matches(byte[] cached, MemorySegment memory, long offset, int length) {
        if (cached.length != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (cached[i] != memory.get(ValueLayout.JAVA_BYTE, offset + i)) {
                return false;
            }
        }
        return true;
    }
}
