package org.panamaverbs.softiwarp.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * A work request, from its post to its completion, or a connection's turn on the event loop, that took longer than the setting {@code
 * longerThan}. Off unless a recording enables it, since it reads the clock twice for each request and each turn.
 */
@Name("panamaverbs.SlowOperation")
@Label("Slow Operation")
@Category({ "panama-verbs", "soft-iwarp" })
@Enabled(false)
@StackTrace(false)
final class SlowOperation extends Event {
    @Label("Operation")
    @Description("send, write, read, ... of a work request; turn of a connection's turn on the event loop")
    String operation;

    @Label("Remote Address")
    String remote;

    @Label("Queue Pair")
    @Description("Its number on this device; 0 for a turn")
    int queuePair;

    @Label("Length")
    @DataAmount
    long length;

    @Label("Took")
    @Timespan(Timespan.NANOSECONDS)
    long took;

    @SettingDefinition
    @Name("longerThan")
    @Label("Longer Than")
    @Description("How long an operation must take to be recorded")
    boolean longerThan(LongerThan control) {
        return LongerThan.isExceededBy(took);
    }
}
