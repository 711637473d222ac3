package org.panamaverbs.ddp.socket;

import java.util.List;
import org.panamaverbs.Configuration;
import org.panamaverbs.Setting;
import org.panamaverbs.softiwarp.transport.TcpOptions;

/** The settings of a context. */
record DdpSettings(String transport, int progressThreads, int busyPollMicros, TcpOptions tcp, int quarantineMillis) {
    private static final Setting<String> TRANSPORT = Setting.choice("panamaverbs.softiwarp.ddp.transport", "auto",
            "System interface of TCP and UDP: epoll (Linux) or nio (any system); auto takes epoll if it works, else nio", "auto", "epoll",
            "nio");
    private static final Setting<Integer> PROGRESS_THREADS = Setting.integer("panamaverbs.softiwarp.ddp.progress-threads", 1, 1, 64,
            "Number of event loops, each with its own thread; sockets are spread over them");
    private static final Setting<Integer> BUSY_POLL = Setting.integer("panamaverbs.softiwarp.ddp.busy-poll", 50, 0, 10_000,
            "Microseconds for which a waiting thread busy-polls before it sleeps, less often while that finds nothing (epoll, with more "
                    + "than one processor); 0 to sleep at once");
    private static final Setting<String> CONGESTION_CONTROL = Setting.text("panamaverbs.softiwarp.ddp.congestion-control", "",
            "the name of a TCP congestion control, or empty",
            "TCP congestion control of every socket, for example cubic; empty leaves it to the system (epoll only)");
    private static final Setting<Integer> KEEPALIVE = Setting.integer("panamaverbs.softiwarp.ddp.keepalive", 20_000, 0,
            TcpOptions.LONGEST_MILLIS, TcpOptions.KEEPALIVE);
    private static final Setting<Integer> USER_TIMEOUT = TcpOptions.userTimeout("panamaverbs.softiwarp.ddp.user-timeout");
    private static final Setting<Integer> QUARANTINE = Setting.integer("panamaverbs.softiwarp.ddp.stag-quarantine", 30_000, 0, 3_600_000,
            "Milliseconds for which the STag of a closed buffer is not used again on the same socket or group, since messages for it may "
                    + "still be on their way");

    static final List<Setting<?>> ALL = List.of(TRANSPORT, PROGRESS_THREADS, BUSY_POLL, CONGESTION_CONTROL, KEEPALIVE, USER_TIMEOUT,
            QUARANTINE);

    static DdpSettings of(Configuration configuration) {
        return new DdpSettings(configuration.get(TRANSPORT), configuration.get(PROGRESS_THREADS), configuration.get(BUSY_POLL),

                new TcpOptions(configuration.get(CONGESTION_CONTROL), configuration.get(KEEPALIVE), configuration.get(USER_TIMEOUT),
                        "panamaverbs.softiwarp.ddp."),
                configuration.get(QUARANTINE));
    }

    /** How long a waiting thread busy-polls before it sleeps, in nanoseconds. On a single processor that would only delay. */
    long busyPollNanos() {
        return Runtime.getRuntime().availableProcessors() > 1 ? busyPollMicros * 1000L : 0;
    }
}
