package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.bindings.libc.iovec;
import org.panamaverbs.bindings.libc.msghdr;

/**
 * The memory of recvmmsg(2) and sendmmsg(2), in one segment: an array of {@code struct mmsghdr}, the {@code struct iovec}s that these point
 * to, and one control message for each. The generated bindings have {@code msghdr} and {@code iovec}; these structs they lack:
 *
 * <pre>
 * struct mmsghdr  (recvmmsg(2))    msg_hdr  0..55 | msg_len  56..59 | padding  60..63
 * struct cmsghdr  (cmsg(3))        cmsg_len 0..7  | cmsg_level 8..11 | cmsg_type 12..15 | data 16..
 * </pre>
 *
 * The layouts are the same on x86_64 and aarch64.
 */
final class Messages {
    /** {@code IPPROTO_UDP}, the level of the options of linux/udp.h: udp(7). */
    static final int SOL_UDP = 17;
    /** The bytes of each datagram of a message that is sent: 2 bytes, in host order. */
    static final int UDP_SEGMENT = 103;
    /** The bytes of each datagram of a message that was received: an int. As an option, it switches this on. */
    static final int UDP_GRO = 104;

    private static final long MESSAGE = msghdr.sizeof() + 2 * Integer.BYTES;
    private static final long LENGTH = msghdr.sizeof();
    private static final long PART = iovec.sizeof();
    private static final long CONTROL_LEVEL = 8;
    private static final long CONTROL_TYPE = 12;
    private static final long CONTROL_VALUE = 16;
    /** Bytes of a control message with a value of 2 bytes or an int, and padding: {@code CMSG_SPACE}. */
    private static final long CONTROL = 24;

    private final MemorySegment memory;
    private final long parts;
    private final long controls;

    Messages(SegmentAllocator allocator, int messages, int partCount) {
        parts = messages * MESSAGE;
        controls = parts + partCount * PART;
        memory = allocator.allocate(controls + messages * CONTROL, Long.BYTES);
    }

    MemorySegment memory() {
        return memory;
    }

    /** Sets a message's parts: {@code count} of them from the part {@code first} on. */
    void setParts(int message, int first, int count) {
        memory.set(ValueLayout.JAVA_LONG, message * MESSAGE + msghdr.msg_iov$offset(), memory.address() + parts + first * PART);
        memory.set(ValueLayout.JAVA_LONG, message * MESSAGE + msghdr.msg_iovlen$offset(), count);
    }

    void setPart(int part, long address, long length) {
        memory.set(ValueLayout.JAVA_LONG, parts + part * PART + iovec.iov_base$offset(), address);
        memory.set(ValueLayout.JAVA_LONG, parts + part * PART + iovec.iov_len$offset(), length);
    }

    /** Sets the memory of a message's address. */
    void setName(int message, long address, int length) {
        memory.set(ValueLayout.JAVA_LONG, message * MESSAGE + msghdr.msg_name$offset(), address);
        setNameLength(message, length);
    }

    void setNameLength(int message, int length) {
        memory.set(ValueLayout.JAVA_INT, message * MESSAGE + msghdr.msg_namelen$offset(), length);
    }

    int nameLength(int message) {
        return memory.get(ValueLayout.JAVA_INT, message * MESSAGE + msghdr.msg_namelen$offset());
    }

    /** Gives a message that is to be received room for a control message. */
    void setControlRoom(int message) {
        setControl(message, CONTROL);
        // A length that no control message has.
        memory.set(ValueLayout.JAVA_LONG, control(message), 0);
    }

    /** Gives a message no control message. */
    void setNoControl(int message) {
        setControl(message, 0);
    }

    private void setControl(int message, long length) {
        memory.set(ValueLayout.JAVA_LONG, message * MESSAGE + msghdr.msg_control$offset(),
                length == 0 ? 0 : memory.address() + control(message));
        memory.set(ValueLayout.JAVA_LONG, message * MESSAGE + msghdr.msg_controllen$offset(), length);
    }

    /** Makes the system cut a message into datagrams of this many bytes. */
    void setSegment(int message, int bytes) {
        setControl(message, CONTROL);
        long at = control(message);
        memory.set(ValueLayout.JAVA_LONG, at, CONTROL_VALUE + Short.BYTES);
        memory.set(ValueLayout.JAVA_INT, at + CONTROL_LEVEL, SOL_UDP);
        memory.set(ValueLayout.JAVA_INT, at + CONTROL_TYPE, UDP_SEGMENT);
        memory.set(ValueLayout.JAVA_SHORT, at + CONTROL_VALUE, (short) bytes);
    }

    /** The bytes of each datagram in a message that was received, or 0 if the message is one datagram. */
    int piece(int message) {
        if (memory.get(ValueLayout.JAVA_LONG, message * MESSAGE + msghdr.msg_controllen$offset()) < CONTROL_VALUE + Integer.BYTES) {
            return 0;
        }
        long at = control(message);
        boolean found = memory.get(ValueLayout.JAVA_LONG, at) == CONTROL_VALUE + Integer.BYTES
                && memory.get(ValueLayout.JAVA_INT, at + CONTROL_LEVEL) == SOL_UDP
                && memory.get(ValueLayout.JAVA_INT, at + CONTROL_TYPE) == UDP_GRO;
        return found ? memory.get(ValueLayout.JAVA_INT, at + CONTROL_VALUE) : 0;
    }

    /** The bytes of a message that was received by recvmmsg. */
    int length(int message) {
        return memory.get(ValueLayout.JAVA_INT, message * MESSAGE + LENGTH);
    }

    private long control(int message) {
        return controls + message * CONTROL;
    }
}
