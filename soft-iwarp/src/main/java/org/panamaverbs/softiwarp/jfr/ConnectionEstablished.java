package org.panamaverbs.softiwarp.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** A connection is established: both sides have agreed. */
@Name("panamaverbs.ConnectionEstablished")
@Label("Connection Established")
@Registered
final class ConnectionEstablished extends ConnectionEvent {
    @Label("Initiator")
    @Description("Whether this side sent the MPA Request")
    boolean initiator;

    @Label("Path")
    @Description("What the bytes go through: TCP, or memory that two processes share")
    String path;

    @Label("CRC")
    @Description("Whether FPDUs have CRCs")
    boolean crc;

    @Label("Inbound Reads")
    @Description("How many Reads of the peer this side serves at a time (IRD)")
    int inboundReads;

    @Label("Outbound Reads")
    @Description("How many Reads of this side may be outstanding (ORD)")
    int outboundReads;
}
