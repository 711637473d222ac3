package org.panamaverbs.softiwarp.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.Timespan;

/** A connection has ended, in good order or not. */
@Name("panamaverbs.ConnectionEnded")
@Label("Connection Ended")
@Registered
final class ConnectionEnded extends ConnectionEvent {
    @Label("Lifetime")
    @Description("How long the connection was established")
    @Timespan(Timespan.NANOSECONDS)
    long lifetime;

    @Label("Cause")
    @Description("orderly, remote error, local error or lost")
    String cause;

    @Label("Reason")
    @Description("The message of the failure")
    String reason;

    @Label("Bytes Sent")
    @Description("Payload, without headers")
    @DataAmount
    long bytesSent;

    @Label("Bytes Received")
    @Description("Payload, without headers")
    @DataAmount
    long bytesReceived;
}
