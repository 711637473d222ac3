package org.panamaverbs.statistics;

import java.util.List;
import java.util.OptionalLong;
import java.util.StringJoiner;

/**
 * The memory that is registered on a device, and how much of it the system has pinned, by holder. The system counts pinned memory in whole
 * pages, and twice if it is registered twice, and limits the sum for the process.
 */
// Tested by StatisticsContract, PinnedMemoryFaultsTest.
public interface PinnedMemory {
    /**
     * The memory that one object holds.
     *
     * @param owner           what {@code toString} of its protection domain says
     * @param regions         the number of its regions, 1 or more
     * @param registeredBytes the sum of their lengths
     * @param pinnedBytes     how much memory the system has pinned for them: 0 for memory that is paged on demand, for that of another
     *                        device, and on a provider that pins nothing
     */
    record Holder(String owner, int regions, long registeredBytes, long pinnedBytes) {
        private String text() {
            return owner + " holds " + registeredBytes + " bytes in " + regions + (regions == 1 ? " region" : " regions")
                    + (pinnedBytes == 0 ? "" : " (" + pinnedBytes + " pinned)");
        }
    }

    /** {@return the protection domains that have regions, the one that holds most first} */
    List<Holder> holders();

    /** {@return the sum of the lengths of all regions of the device} */
    default long registeredBytes() {
        return holders().stream().mapToLong(Holder::registeredBytes).sum();
    }

    /** {@return how many bytes the system has pinned for the regions of the device} */
    default long pinnedBytes() {
        return holders().stream().mapToLong(Holder::pinnedBytes).sum();
    }

    /**
     * The memory that the system has pinned for this process: the regions of all devices, and the queues of drivers. The system compares it with
     * {@link #limit()}.
     *
     * @return in bytes; empty if the system does not say, or the provider pins nothing
     */
    default OptionalLong pinnedByProcess() {
        return OptionalLong.empty();
    }

    /**
     * How much memory the process may pin ({@code RLIMIT_MEMLOCK}).
     *
     * @return in bytes; empty if no limit applies, because it is unlimited, the process is privileged (CAP_IPC_LOCK), or the provider pins
     *         nothing
     */
    default OptionalLong limit() {
        return OptionalLong.empty();
    }

    /** {@return who holds how much, and what the limit is, on one line: at most the five largest holders by name} */
    default String describe() {
        StringJoiner text = new StringJoiner(", ");
        List<Holder> all = holders();
        all.stream().limit(5).forEach(holder -> text.add(holder.text()));
        if (all.size() > 5) {
            text.add(all.size() - 5 + " more hold " + all.stream().skip(5).mapToLong(Holder::registeredBytes).sum() + " bytes");
        }
        String held = all.isEmpty() ? "no memory is registered" : text.toString();
        String process = pinnedByProcess().isPresent() ? "; the process has pinned " + pinnedByProcess().getAsLong()
                + " bytes in all, queues of drivers and other devices included" : "";
        return held + process + "; " + (limit().isPresent() ? "the process may pin " + limit().getAsLong() + " bytes (RLIMIT_MEMLOCK)"
                : "no limit of locked memory (RLIMIT_MEMLOCK) applies");
    }
}
