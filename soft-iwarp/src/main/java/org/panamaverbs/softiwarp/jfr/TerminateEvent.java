package org.panamaverbs.softiwarp.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** A Terminate was sent or received (RFC 5040, 4.8). */
@Name("panamaverbs.Terminate")
@Label("Terminate")
@Registered
final class TerminateEvent extends ConnectionEvent {
    @Label("Direction")
    @Description("sent or received")
    String direction;

    @Label("Layer")
    @Description("0 RDMA, 1 DDP, 2 MPA")
    int layer;

    @Label("Error Type")
    int type;

    @Label("Error Code")
    int code;

    @Label("Description")
    String description;
}
