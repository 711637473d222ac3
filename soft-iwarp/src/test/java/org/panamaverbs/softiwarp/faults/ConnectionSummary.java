package org.panamaverbs.softiwarp.faults;

/**
 * The report of one end about a connection. It travels from that end's process to the test.
 *
 * @param name       which connection of the round
 * @param cause      how the connection ended, as {@code ConnectionEnd.Cause} says, or {@link #NEVER}, or {@link #OPEN}
 * @param state      the state of the queue pair
 * @param last       when the last completion came, by the clock that all processes share
 * @param firstError when the first completion with an error came, by the same clock; 0 if none has
 * @param told       messages sent
 * @param heard      messages received
 * @param done       requests and receives that succeeded
 * @param sends      requests that are posted and not completed
 * @param receives   receives that are posted and not completed
 * @param sent       how many requests completed with each status, once the end has all of them
 * @param received   how many receives completed with each status, once the end has all of them
 * @param defect     what was wrong in the data or in the order of completions; empty if nothing was
 * @param failure    the exception that connecting, posting or polling threw; empty if none did
 * @param message    the failure of the connection, in words; empty if it ended in good order
 */
record ConnectionSummary(String name, String cause, String state, long last, long firstError, long told, long heard, long done, int sends,
        int receives, String sent, String received, String defect, String failure, String message) {
    /** The cause of a connection that did not begin. */
    static final String NEVER = "NEVER";
    /** The cause of a connection that goes on. */
    static final String OPEN = "OPEN";
    private static final int PARTS = 15;

    boolean hasBegun() {
        return !cause.equals(NEVER);
    }

    /** Reads what {@link #toString} has written. */
    static ConnectionSummary parse(String text) {
        String[] parts = text.split("\\|", -1);
        if (parts.length != PARTS) {
            throw new IllegalArgumentException("not a summary of a connection: " + text);
        }
        return new ConnectionSummary(parts[0], parts[1], parts[2], Long.parseLong(parts[3]), Long.parseLong(parts[4]),
                Long.parseLong(parts[5]), Long.parseLong(parts[6]), Long.parseLong(parts[7]), Integer.parseInt(parts[8]),
                Integer.parseInt(parts[9]), parts[10], parts[11], parts[12], parts[13], parts[14]);
    }

    /** One line; {@code ;} separates it from the next summary. */
    @Override
    public String toString() {
        return String.join("|", name, cause, state, Long.toString(last), Long.toString(firstError), Long.toString(told),
                Long.toString(heard), Long.toString(done), Integer.toString(sends), Integer.toString(receives), sent, received, one(defect),
                one(failure), one(message));
    }

    private static String one(String words) {
        return words.replace('|', '/').replace(';', ',').replace('\n', ' ');
    }
}
