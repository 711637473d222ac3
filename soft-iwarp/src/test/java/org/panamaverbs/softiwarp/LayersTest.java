package org.panamaverbs.softiwarp;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import java.lang.foreign.Linker;
import org.junit.jupiter.api.Test;
import org.panamaverbs.posix.OwnedMemory;
import org.panamaverbs.testing.layers.Layers;
import org.panamaverbs.testing.layers.LayersTestCase;

/** The layers: an import only ever points down, and the protocol knows no socket, clock, thread or random source. */
class LayersTest extends LayersTestCase {
    // @formatter:off
    private static final Layers LAYERS = new Layers("org.panamaverbs.softiwarp")
            .layer("", "the provider and the verbs objects, thin", "cm", "progress", "transport", "transport.capture", "transport.kind",
                    "qp", "rdmap", "mpa", "queue", "jfr", "memory", "wire")
            .layer("cm", "connecting and accepting: a channel, a timer and a `Handshake`; limits of the number of peers", "progress",
                    "transport", "mpa", "memory")
            .layer("progress", "event loops, their leadership, and the driver of a stream", "transport", "qp", "jfr", "memory", "wire")
            .layer("transport.kind", "chooses a transport by name", "transport", "transport.shared", "transport.epoll", "transport.nio")
            .layer("transport.capture", "around another transport: also writes the bytes to a file", "transport", "memory")
            .layer("transport.shared", "streams between processes of one machine, by memory that both map", "transport", "transport.epoll",
                    "memory")
            .layer("transport.epoll", "TCP and UDP by epoll", "transport", "memory")
            .layer("transport.nio", "TCP and UDP by NIO", "transport", "memory")
            .layer("transport", "channels, acceptors, datagram ports, multiplexers", "memory")
            .layer("qp", "the stream: its life, its two halves, and the steps of its end", "rdmap", "mpa", "ddp", "queue", "memory", "wire")
            .layer("rdmap", "RFC 5040 and 7306: the meaning of messages", "ddp", "queue", "memory", "wire")
            .layer("mpa", "RFC 5044 and 6581: FPDUs, and the handshake", "ddp", "memory", "wire")
            .layer("ddp", "RFC 5041: placement and segments", "memory", "wire")
            .layer("queue", "send, receive, completion and read queues as rings", "memory")
            .layer("jfr", "events of the Flight Recorder", "wire")
            .layer("memory", "STag table, registered memory, vectors, checksums")
            .layer("wire", "headers as static functions")
            .circle("OwnedWindows", "SoftCompletionChannel", "SoftCompletionQueue", "SoftConnection", "SoftConnectionManager",
                    "SoftConnectionRequest", "SoftConnector", "SoftDevice", "SoftListener", "SoftMemoryRegion", "SoftMemoryWindow",
                    "SoftProtectionDomain", "SoftQueuePair", "SoftReceivePosting", "SoftSharedReceiveQueue")
            .circle("jfr.FlightRecorderEvents", "jfr.Recorder")
            .circle("rdmap.MessageSource", "rdmap.ReadResponder", "rdmap.Terminator")
            .circle("transport.Multiplexer", "transport.Registration")
            .circle("transport.capture.CaptureFile", "transport.capture.CapturedStream")
            .circle("transport.epoll.EpollAcceptor", "transport.epoll.EpollChannel", "transport.epoll.EpollDatagramPort",
                    "transport.epoll.EpollMultiplexer", "transport.epoll.EpollSlots", "transport.epoll.EpollSource",
                    "transport.epoll.PeerWatch")
            .circle("transport.nio.NioAcceptor", "transport.nio.NioChannel", "transport.nio.NioConnection",
                    "transport.nio.NioDatagramPort", "transport.nio.NioMultiplexer", "transport.nio.NioSource")
            .circle("transport.shared.SharedAcceptor", "transport.shared.SharedChannel", "transport.shared.SharedConnection",
                    "transport.shared.SharedEvents", "transport.shared.SharedMultiplexer", "transport.shared.Watch");
    // @formatter:on

    private static final String[] PROTOCOL = { "wire", "memory", "queue", "mpa", "ddp", "rdmap", "qp" };

    LayersTest() {
        super(LAYERS, "ARCHITECTURE.md");
    }

    @Test
    void shouldKeepTheProtocolFreeOfInputAndOutput() {
        ProtocolRules.freeOfInputAndOutput(names(PROTOCOL)).check(classes);
    }

    @Test
    void shouldKeepTheProtocolFreeOfThreads() {
        ProtocolRules.freeOfThreads(names(PROTOCOL)).check(classes);
    }

    @Test
    void shouldKeepTheProtocolFreeOfClocks() {
        ProtocolRules.freeOfClocks(names(PROTOCOL)).check(classes);
    }

    @Test
    void shouldKeepTheProtocolFreeOfRandomSources() {
        ProtocolRules.freeOfRandomSources(names(PROTOCOL)).check(classes);
    }

    @Test
    void shouldTouchTheSystemOnlyInTransport() {
        noClasses().that().resideOutsideOfPackage(name("transport..")).should()
                .dependOnClassesThat(resideInAnyPackage("java.nio.channels..", "org.panamaverbs.bindings.libc..", "org.panamaverbs.posix..")
                        .and(not(type(OwnedMemory.class))))
                .orShould().dependOnClassesThat().areAssignableTo(Linker.class).check(classes);
    }

    @Test
    void shouldNotKnowDevices() {
        noClasses().should().dependOnClassesThat().resideInAPackage("org.panamaverbs.bindings.rdma..").check(classes);
    }
}
