package org.panamaverbs.tools.shared;

import java.time.Duration;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.cm.Connection;

/** The meaning of a failed request for its connection. */
public final class Ending {
    private static final Duration TOLD = Duration.ofSeconds(1);

    private Ending() {
    }

    /** Whether the connection is over; some devices flush what is posted before they tell so, and why. */
    public static boolean isOver(Connection connection, CompletionStatus status) {
        return status == CompletionStatus.FLUSHED ? connection.awaitDisconnected(TOLD) : !connection.isConnected();
    }
}
