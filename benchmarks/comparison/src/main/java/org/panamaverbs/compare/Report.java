package org.panamaverbs.compare;

import java.util.List;
import java.util.Map;

/**
 * Everything that came out.
 *
 * @param started   when, as ISO 8601
 * @param seconds   how long it took
 * @param quick     whether it was too short to compare by
 * @param rounds    how many were asked for
 * @param pace      of each run
 * @param congestionControl of TCP, in force
 * @param machine   the properties of the machine that it ran on, by name
 * @param peers     that were measured, and those that were missing
 * @param outcomes  of all comparisons
 * @param baseline  the other revision of ours that ran by turns with this tree; {@code null} if there was none
 * @param against   how this tree compares with that one
 * @param bandwidth bytes per second by the size of a message
 * @param rate      messages per second by the number of connections
 * @param latency   readings with percentiles, by what was measured
 * @param notes     other facts to know, a sentence each
 * @param failure   that ended it early; {@code null} if nothing did
 */
record Report(String started, double seconds, boolean quick, int rounds, Pace pace, String congestionControl, Map<String, String> machine,
        List<Peer> peers, List<Outcome> outcomes, String baseline, List<Outcome> against, List<Series> bandwidth, List<Series> rate,
        Map<String, Reading> latency, List<String> notes, String failure) {
    boolean isComplete() {
        return failure == null;
    }

    /** A quick run judges no speeds. */
    Outcome.Verdict verdict(Outcome outcome) {
        boolean judged = !quick || outcome.comparison().test() || outcome.figure() == null;
        return judged ? outcome.verdict() : Outcome.Verdict.NOT_JUDGED;
    }

    /** Whether ours is slower beyond doubt, in a run that judges. */
    boolean isSlower(Outcome outcome) {
        return !quick && outcome.isSlower();
    }
}
