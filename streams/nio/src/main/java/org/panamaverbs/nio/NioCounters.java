package org.panamaverbs.nio;

import org.panamaverbs.Incubating;

/**
 * The connections and bytes that a provider has carried so far.
 *
 * @param verbsConnections how many connections went over verbs, of both directions
 * @param verbsBytes       the bytes that they have read and written
 * @param otherConnections how many connections of its channels went over TCP, of both directions: their address is not named, or a
 *                         connection over verbs failed
 * @param otherBytes       the bytes that they have read and written
 * @param fallBacks        how many of the other connections went over TCP because a connection over verbs failed
 */
@Incubating("which counts there are: a record cannot grow")
public record NioCounters(long verbsConnections, long verbsBytes, long otherConnections, long otherBytes, long fallBacks) {
    /** {@return as a sentence, for the report at the end of the JVM} */
    public String text() {
        return verbsConnections + " connections and " + verbsBytes + " bytes over verbs, " + otherConnections + " connections and "
                + otherBytes + " bytes over TCP (" + fallBacks + " of these because verbs failed)";
    }
}
