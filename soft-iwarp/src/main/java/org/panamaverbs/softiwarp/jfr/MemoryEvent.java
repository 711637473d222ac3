package org.panamaverbs.softiwarp.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Registered;
import jdk.jfr.Timespan;

/** An event of registered memory. */
@Category({ "panama-verbs", "soft-iwarp" })
@Registered(false)
abstract class MemoryEvent extends Event {
    @Label("STag")
    long stag;

    @Label("Length")
    @DataAmount
    long length;

    @Label("Took")
    @Timespan(Timespan.NANOSECONDS)
    long took;
}
