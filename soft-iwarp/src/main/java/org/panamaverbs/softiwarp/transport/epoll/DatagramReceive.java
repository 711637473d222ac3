package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketAddresses;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.DatagramHead;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.InboundDatagrams;
import org.panamaverbs.softiwarp.transport.SourceAddresses;

/**
 * Receives datagrams of one port by {@code recvmmsg} into a batch, or by {@code recvmsg} straight to a place. For one thread at a time;
 * nothing is allocated as long as the same batch comes.
 */
// Tested by EpollDatagramPortTest.
final class DatagramReceive {
    // Flags of sys/socket.h and recv(2); the generated bindings lack them.
    private static final int MSG_PEEK = 0x02;
    /** The length of the datagram is returned, though the memory may be shorter. */
    private static final int MSG_TRUNC = 0x20;
    /** So many errors of the network in a row are skipped; there is no end to them if somebody sends answers all the time. */
    private static final int SKIPPED = 16;

    private final MemorySegment errno;
    private final SourceAddresses addresses = new SourceAddresses(SocketAddresses::decode);
    /** The batch for which the messages are set. */
    private InboundDatagrams batch;
    private Messages messages;
    /** The first messages so many were used, and must be set again. */
    private int dirty;
    /** For {@link #peek}, {@link #take} and {@link #discard}: one message of two parts. */
    private final Messages single;
    private final SegmentAllocator memory;
    private int failure;

    DatagramReceive(SegmentAllocator memory) {
        this.memory = memory;
        errno = Native.newErrno(memory);
        single = new Messages(memory, 1, 2);
    }

    /** The error number of the last call that failed. */
    int failure() {
        return failure;
    }

    int receive(int fd, InboundDatagrams into) {
        into.begin(addresses);
        prepare(into);
        for (int tries = 0; tries < SKIPPED; tries++) {
            int count = SocketCalls.receiveMessages(errno, fd, messages.memory(), into.slots(), MSG_TRUNC, into.memory(), into.sources());
            if (count >= 0) {
                dirty = count;
                for (int i = 0; i < count; i++) {
                    int length = messages.length(i);
                    int piece = messages.piece(i);
                    into.present(length, piece == 0 ? length : piece, messages.nameLength(i));
                }
                if (into.size() > 0 || count < into.slots()) {
                    return into.size();
                }
                // All were truncated, and there may be more.
                into.begin(addresses);
                prepare(into);
            } else if (!isSkipped(Native.errno(errno))) {
                return failure == 0 ? 0 : DatagramPort.FAILED;
            }
        }
        return 0;
    }

    private void prepare(InboundDatagrams into) {
        if (batch != into) {
            messages = new Messages(memory, into.slots(), into.slots());
            for (int i = 0; i < into.slots(); i++) {
                messages.setParts(i, i, 1);
                messages.setPart(i, into.memory().address() + into.slotOffset(i), into.slotSize());
                messages.setName(i, into.sources().address() + into.slotSource(i), into.sourceRoom());
            }
            dirty = into.slots();
            // Last: if memory runs out before, the next call begins anew.
            batch = into;
        }
        for (int i = 0; i < dirty; i++) {
            messages.setNameLength(i, into.sourceRoom());
            messages.setControlRoom(i);
        }
        dirty = 0;
    }

    int peek(int fd, DatagramHead head) {
        MemorySegment memory = head.memory();
        MemorySegment source = head.rawSource();
        for (int tries = 0; tries < SKIPPED; tries++) {
            single.setParts(0, 0, 1);
            single.setPart(0, memory.address(), head.size());
            single.setName(0, source.address(), (int) source.byteSize());
            single.setControlRoom(0);
            long length = SocketCalls.receiveMessage(errno, fd, single.memory(), MSG_PEEK | MSG_TRUNC, memory, source, memory);
            if (length >= 0) {
                int piece = single.piece(0);
                head.set(addresses, (int) length, piece == 0 || piece >= length, single.nameLength(0));
                return 1;
            } else if (!isSkipped(Native.errno(errno))) {
                return failure == 0 ? 0 : DatagramPort.FAILED;
            }
        }
        return 0;
    }

    int take(int fd, DatagramHead head, MemorySegment place, long offset) {
        if (!head.isTakeable()) {
            throw new IllegalArgumentException("the datagram did not come alone, or is not longer than its head");
        }
        int rest = head.length() - head.size();
        Objects.checkFromIndexSize(offset, rest, place.byteSize());
        if (place.isReadOnly()) {
            return DatagramPort.BAD_MEMORY;
        }
        MemorySegment memory = head.memory();
        while (true) {
            single.setParts(0, 0, 2);
            single.setPart(0, memory.address(), head.size());
            single.setPart(1, place.address() + offset, rest);
            single.setName(0, 0, 0);
            single.setNoControl(0);
            long length;
            try {
                length = SocketCalls.receiveMessage(errno, fd, single.memory(), MSG_TRUNC, place, memory, memory);
            } catch (IllegalStateException | WrongThreadException e) {
                // The arena of the place is closed, or is confined to another thread.
                return DatagramPort.BAD_MEMORY;
            }
            if (length >= 0) {
                return (int) Math.min(length - head.size(), rest);
            }
            int number = Native.errno(errno);
            if (number == Errno.EFAULT) {
                return DatagramPort.BAD_MEMORY;
            } else if (!isSkipped(number)) {
                failure = number;
                return DatagramPort.FAILED;
            }
        }
    }

    void discard(int fd, DatagramHead head) {
        MemorySegment memory = head.memory();
        long length;
        do {
            single.setParts(0, 0, 1);
            single.setPart(0, memory.address(), head.size());
            single.setName(0, 0, 0);
            single.setNoControl(0);
            length = SocketCalls.receiveMessage(errno, fd, single.memory(), 0, memory, memory, memory);
        } while (length < 0 && isSkipped(Native.errno(errno)));
    }

    /** Whether an error says nothing about the port: the call is to be made again. Otherwise sets {@link #failure}, to 0 if there is none. */
    private boolean isSkipped(int number) {
        if (number == Errno.EINTR || isAnswer(number)) {
            return true;
        }
        failure = number == Errno.EAGAIN ? 0 : number;
        return false;
    }

    /** Whether an error can be an answer of the network to a datagram sent earlier (icmp(7)); reading it clears it. */
    static boolean isAnswer(int number) {
        return number == Errno.ECONNREFUSED || number == Libc.EHOSTUNREACH() || number == Libc.ENETUNREACH() || number == Libc.EHOSTDOWN()
                || number == Libc.ENONET() || number == Libc.EPROTO() || number == Libc.ENOPROTOOPT();
    }
}
