package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.OutboundDatagrams;

/**
 * Sends datagrams of one port by {@code sendmmsg}. Consecutive datagrams of one length, and a shorter one at the end, make up one message,
 * which the system cuts (GSO): so 64 KB pass the kernel at the price of one datagram. For one thread at a time; nothing is allocated as long
 * as the destinations are the last ones.
 *
 * <p>The system refuses to cut a message if a datagram is longer than the packets of the route. From then on, datagrams of that length or
 * longer are sent one by one, and IP fragments them.
 */
// Tested by EpollDatagramPortTest.
final class DatagramSend {
    private static final int MESSAGES = 64;
    /** At most {@code UIO_MAXIOV} in one message; so many in all are enough for half a megabyte. */
    private static final int PARTS = 1024;
    /** {@code UDP_MAX_SEGMENTS} of linux/udp.h, before it became 128. */
    private static final int SEGMENTS = 64;
    /** The payload of the longest UDP datagram on IPv4; a message that is cut is no longer either. */
    private static final int LONGEST = 65_507;
    /** So many errors of the network in a row are skipped. */
    private static final int SKIPPED = 16;

    private final MemorySegment errno;
    private final Messages messages;
    private final Destinations destinations;
    /** Datagrams of up to so many bytes are sent several in a message; 0 if none are. */
    private int longestCut;

    // The result of load() for the next call.
    private final int[] counts = new int[MESSAGES];
    private int loaded;
    private int parts;
    private MemorySegment first;
    private MemorySegment second;
    private MemorySegment third;

    /** Whether some memory is bad: then each call sends one datagram, so that those before the bad one leave. */
    private boolean alone;
    private int failure;
    private boolean full;
    private boolean starved;

    DatagramSend(DatagramSockets.Opened port) {
        errno = Native.newErrno(port.socket().memory());
        messages = new Messages(port.socket().memory(), MESSAGES, PARTS);
        destinations = new Destinations(port);
        longestCut = port.segments() ? LONGEST : 0;
    }

    /** The error number of the last call that failed. */
    int failure() {
        return failure;
    }

    /** Whether the last call left datagrams behind because the socket has no room; an edge follows. */
    boolean isFull() {
        return full;
    }

    /** Whether the last call left datagrams behind because the system had no memory; no edge follows. */
    boolean isStarved() {
        return starved;
    }

    int send(int fd, InetSocketAddress to, OutboundDatagrams from) {
        full = false;
        starved = false;
        alone = false;
        long address = destinations.find(to);
        int total = 0;
        int skipped = 0;
        while (!from.isEmpty()) {
            load(from, address);
            int sent;
            try {
                sent = SocketCalls.sendMessages(errno, fd, messages.memory(), loaded, Libc.MSG_NOSIGNAL(), from.headers(), first, second,
                        third);
            } catch (IllegalStateException | WrongThreadException e) {
                // The arena of a segment is closed, or is confined to another thread; it need not be the first datagram's.
                if (alone) {
                    return result(total, DatagramPort.BAD_MEMORY);
                }
                alone = true;
                continue;
            } finally {
                first = null;
                second = null;
                third = null;
            }
            if (sent > 0) {
                int datagrams = 0;
                for (int i = 0; i < sent; i++) {
                    datagrams += counts[i];
                }
                from.remove(datagrams);
                total += datagrams;
                continue;
            }
            int number = Native.errno(errno);
            if (number == Errno.EINTR || counts[0] > 1 && stopsCutting(number, from.length(0))) {
                continue;
            }
            if (number == Errno.EAGAIN) {
                full = true;
                return total;
            } else if (number == Libc.ENOBUFS() || number == Libc.ENOMEM()) {
                starved = true;
                return total;
            } else if (number == Libc.EMSGSIZE()) {
                return result(total, DatagramPort.TOO_LONG);
            } else if (number == Errno.EFAULT) {
                if (alone) {
                    return result(total, DatagramPort.BAD_MEMORY);
                }
                alone = true;
            } else if (!DatagramReceive.isAnswer(number) || ++skipped == SKIPPED) {
                failure = number;
                return result(total, DatagramPort.FAILED);
            }
        }
        return total;
    }

    /** The datagrams that were taken count; the next call tells the error. */
    private static int result(int total, int error) {
        return total > 0 ? total : error;
    }

    /** Whether an error can be about cutting. Then datagrams of this length are not sent in this manner any more. */
    private boolean stopsCutting(int number, long length) {
        if (number == Libc.EIO()) {
            // The network device computes no checksums.
            longestCut = 0;
            return true;
        } else if (number == Libc.EINVAL() || number == Libc.EMSGSIZE()) {
            longestCut = (int) length - 1;
            return true;
        }
        return false;
    }

    /** Puts as many datagrams as one call takes into the messages: of at most three segments, which {@link SocketCalls#transfer} explains. */
    private void load(OutboundDatagrams from, long address) {
        first = from.headers();
        second = from.headers();
        third = from.headers();
        loaded = 0;
        parts = 0;
        int next = 0;
        while (next < from.size() && loaded < (alone ? 1 : MESSAGES) && parts + 2 <= PARTS && admit(from, next)) {
            int start = parts;
            int last = next + longestRun(from, next);
            long length = from.length(next);
            int count = 0;
            while (next < last && parts + 2 <= PARTS && admit(from, next)) {
                addParts(from, next++);
                count++;
            }
            messages.setName(loaded, address, destinations.length());
            messages.setParts(loaded, start, parts - start);
            if (count > 1) {
                messages.setSegment(loaded, (int) length);
            } else {
                messages.setNoControl(loaded);
            }
            counts[loaded++] = count;
        }
    }

    /** The number of datagrams from the given one on that can be one message. */
    private int longestRun(OutboundDatagrams from, int start) {
        long length = from.length(start);
        if (length > longestCut || length == 0 || alone) {
            return 1;
        }
        long sum = length;
        int count = 1;
        while (count < SEGMENTS && start + count < from.size()) {
            long other = from.length(start + count);
            sum += other;
            if (other > length || other == 0 || sum > LONGEST) {
                break;
            }
            count++;
            if (other < length) {
                break;
            }
        }
        return count;
    }

    private void addParts(OutboundDatagrams from, int index) {
        if (from.headerLength(index) > 0) {
            messages.setPart(parts++, from.headers().address() + from.header(index), from.headerLength(index));
        }
        if (from.payloadLength(index) > 0) {
            messages.setPart(parts++, from.payload(index).address() + from.payloadOffset(index), from.payloadLength(index));
        }
    }

    /** Whether the payload's segment is one of those that the call keeps alive, or becomes one. */
    private boolean admit(OutboundDatagrams from, int index) {
        MemorySegment segment = from.payload(index);
        MemorySegment none = from.headers();
        if (segment == none || segment == first || segment == second || segment == third) {
            return true;
        } else if (first == none) {
            first = segment;
        } else if (second == none) {
            second = segment;
        } else if (third == none) {
            third = segment;
        } else {
            return false;
        }
        return true;
    }
}
