package org.panamaverbs.softiwarp;

import java.util.List;

/**
 * Runs the static initializers of the classes that connections need. One that fails, since the heap is full, breaks its class until the JVM
 * ends (JLS 12.4.2), and with it every later connection. Therefore they run when a device opens, and a failure there fails the opening
 * alone. What a program's own thread initializes when it first registers memory is left to it.
 */
final class StaticInitializers {
    // Whole names: tools that rename packages rename them here, too.
    // @formatter:off
    private static final List<String> CLASSES = List.of(
            "org.panamaverbs.Access",
            "org.panamaverbs.AsynchronousEvent$Type",
            "org.panamaverbs.Completion$1",
            "org.panamaverbs.CompletionClock",
            "org.panamaverbs.CompletionDispatcher",
            "org.panamaverbs.CompletionOpcode",
            "org.panamaverbs.CompletionStatus",
            "org.panamaverbs.Completions",
            "org.panamaverbs.DescribedObjects",
            "org.panamaverbs.MemoryWindow$Type",
            "org.panamaverbs.QueuePairState",
            "org.panamaverbs.RemoteMemory",
            "org.panamaverbs.bindings.libc.Libc$strerror_r",
            "org.panamaverbs.bindings.libc.in_addr",
            "org.panamaverbs.bindings.libc.iovec",
            "org.panamaverbs.bindings.libc.msghdr",
            "org.panamaverbs.bindings.libc.sockaddr_in",
            "org.panamaverbs.bindings.libc.sockaddr_storage",
            "org.panamaverbs.cm.ConnectionEnd",
            "org.panamaverbs.cm.ConnectionEnd$Cause",
            "org.panamaverbs.cm.ConnectionParameters",
            "org.panamaverbs.cm.PeerNetwork",
            "org.panamaverbs.posix.Errno",
            "org.panamaverbs.posix.EventDescriptor",
            "org.panamaverbs.posix.OwnedMemory$Linked",
            "org.panamaverbs.posix.SocketAddresses",
            "org.panamaverbs.softiwarp.EndTable$1",
            "org.panamaverbs.softiwarp.SoftCompletionChannel",
            "org.panamaverbs.softiwarp.SoftCompletionQueue",
            "org.panamaverbs.softiwarp.SoftConnectionRequest$State",
            "org.panamaverbs.softiwarp.SoftConnector$State",
            "org.panamaverbs.softiwarp.SoftQueuePair",
            "org.panamaverbs.softiwarp.SoftQueuePair$1",
            "org.panamaverbs.softiwarp.cm.ActiveOpen$1",
            "org.panamaverbs.softiwarp.cm.Admission",
            "org.panamaverbs.softiwarp.cm.Opening",
            "org.panamaverbs.softiwarp.cm.Opening$State",
            "org.panamaverbs.softiwarp.cm.PassiveOpen$1",
            "org.panamaverbs.softiwarp.ddp.DdpTransmitter$Outcome",
            "org.panamaverbs.softiwarp.jfr.FlightRecorderEvents",
            "org.panamaverbs.softiwarp.jfr.LongerThan",
            "org.panamaverbs.softiwarp.jfr.Recorder$Holder",
            "org.panamaverbs.softiwarp.jfr.SlowOperation",
            "org.panamaverbs.softiwarp.jfr.TerminateEvent",
            "org.panamaverbs.softiwarp.memory.Crc32cViews",
            "org.panamaverbs.softiwarp.memory.Fault",
            "org.panamaverbs.softiwarp.memory.Prefetch",
            "org.panamaverbs.softiwarp.memory.Registered",
            "org.panamaverbs.softiwarp.memory.RegisteredMemory",
            "org.panamaverbs.softiwarp.mpa.FpduReader",
            "org.panamaverbs.softiwarp.mpa.FpduReader$State",
            "org.panamaverbs.softiwarp.mpa.Handshake$State",
            "org.panamaverbs.softiwarp.mpa.InitiatorHandshake$1",
            "org.panamaverbs.softiwarp.mpa.ReadyIndication",
            "org.panamaverbs.softiwarp.progress.Ownership",
            "org.panamaverbs.softiwarp.progress.StreamDriver",
            "org.panamaverbs.softiwarp.progress.StreamDriver$1",
            "org.panamaverbs.softiwarp.progress.StreamDriver$Input",
            "org.panamaverbs.softiwarp.progress.WaitPoint",
            "org.panamaverbs.softiwarp.qp.CloseSequence$Action",
            "org.panamaverbs.softiwarp.qp.CloseSequence$Step",
            "org.panamaverbs.softiwarp.qp.EndReason",
            "org.panamaverbs.softiwarp.qp.EndReason$Kind",
            "org.panamaverbs.softiwarp.qp.InboundStream$1",
            "org.panamaverbs.softiwarp.qp.OutboundStream$1",
            "org.panamaverbs.softiwarp.qp.OutboundStream$Stage",
            "org.panamaverbs.softiwarp.qp.StreamLife",
            "org.panamaverbs.softiwarp.qp.StreamState",
            "org.panamaverbs.softiwarp.qp.StreamState$Event",
            "org.panamaverbs.softiwarp.queue.CompletionRing",
            "org.panamaverbs.softiwarp.queue.SendQueue",
            "org.panamaverbs.softiwarp.queue.SendQueue$1",
            "org.panamaverbs.softiwarp.queue.SendQueue$Operation",
            "org.panamaverbs.softiwarp.queue.SpinLock",
            "org.panamaverbs.softiwarp.queue.WorkQueue",
            "org.panamaverbs.softiwarp.queue.WorkQueue$Part",
            "org.panamaverbs.softiwarp.rdmap.AtomicUnit",
            "org.panamaverbs.softiwarp.rdmap.InboundRequests$1",
            "org.panamaverbs.softiwarp.rdmap.InboundSends$1",
            "org.panamaverbs.softiwarp.rdmap.InboundSends$Opening",
            "org.panamaverbs.softiwarp.rdmap.Receiver",
            "org.panamaverbs.softiwarp.rdmap.Requester$1",
            "org.panamaverbs.softiwarp.transport.Channel$Path",
            "org.panamaverbs.softiwarp.transport.Registration",
            "org.panamaverbs.softiwarp.transport.epoll.PeerWatch$Answer",
            "org.panamaverbs.softiwarp.transport.epoll.Sockets",
            "org.panamaverbs.softiwarp.transport.epoll.VectorCall",
            "org.panamaverbs.softiwarp.transport.nio.NioChannel",
            "org.panamaverbs.softiwarp.transport.shared.RingReader",
            "org.panamaverbs.softiwarp.transport.shared.RingWriter",
            "org.panamaverbs.softiwarp.transport.shared.SharedInput",
            "org.panamaverbs.softiwarp.transport.shared.SharedInput$Phase",
            "org.panamaverbs.softiwarp.transport.shared.SharedOutput",
            "org.panamaverbs.softiwarp.transport.shared.SharedOutput$Phase",
            "org.panamaverbs.softiwarp.transport.shared.SharedState",
            "org.panamaverbs.softiwarp.transport.shared.SharedState$Event",
            "org.panamaverbs.softiwarp.wire.Fpdu",
            "org.panamaverbs.softiwarp.wire.MpaStart",
            "org.panamaverbs.softiwarp.wire.NetworkOrder",
            "org.panamaverbs.softiwarp.wire.Rdmap",
            "org.panamaverbs.softiwarp.wire.TerminateCode",
            "org.panamaverbs.spi.AllAddresses",
            "org.panamaverbs.spi.CompletionBuffer",
            "org.panamaverbs.spi.FlightEvents$ConnectionEnded",
            "org.panamaverbs.spi.FlightEvents$ConnectionEstablished",
            "org.panamaverbs.spi.Registrable",
            "org.panamaverbs.spi.RequestChecks",
            "org.panamaverbs.spi.RequestChecks$Flag",
            "org.panamaverbs.spi.SendOperation",
            "org.panamaverbs.spi.Described$Holder",
            "org.panamaverbs.spi.SendWorkRequest$Part",
            "org.panamaverbs.spi.support.ArenaHold",
            "org.panamaverbs.spi.support.Workers");
    // @formatter:on

    private StaticInitializers() {
    }

    static void run() {
        for (String name : CLASSES) {
            try {
                Class.forName(name);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException("the jar of soft-iwarp lacks the class " + name, e);
            } catch (LinkageError e) {
                // It calls functions that this system lacks, so that no connection needs it here.
            }
        }
    }
}
