package org.panamaverbs.softiwarp.progress;

/**
 * Whether a channel or port takes anything at the moment. The thread that transmits shuts the gate after a write that the system did not
 * take whole; the loop's leader opens it when the channel reports that it is writable. Each write begins with {@link #openings}, so that
 * a report between the write and {@link #shut} is not lost: no second one would follow.
 */
public final class WriteGate {
    private volatile boolean shut;
    /** How many times the channel has reported that it is writable. Only the leader writes it. */
    private volatile int openings;

    /** Whether the next write would take nothing. */
    public boolean isShut() {
        return shut;
    }

    /** The number to give to {@link #shut}. The thread that transmits takes it before the write. */
    public int openings() {
        return openings;
    }

    /** The channel is writable. Only the loop's leader calls it. */
    public void open() {
        openings = openings + 1;
        shut = false;
    }

    /**
     * The system did not take the whole write. Only the thread that transmits calls it.
     *
     * @param before the number of {@link #openings} before the write
     */
    public void shut(int before) {
        shut = true;
        // Both are volatile. The leader counts and then clears the flag: so either this thread sees the count, or the leader clears.
        if (openings != before) {
            shut = false;
        }
    }
}
