package org.panamaverbs.softiwarp.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/** An event of a connection. Its stack trace would be that of an event loop. */
@Category({ "panama-verbs", "soft-iwarp" })
@Registered(false)
@StackTrace(false)
abstract class ConnectionEvent extends Event {
    @Label("Local Address")
    String local;

    @Label("Remote Address")
    String remote;

    @Label("Queue Pair")
    @Description("Its number on this device")
    int queuePair;
}
