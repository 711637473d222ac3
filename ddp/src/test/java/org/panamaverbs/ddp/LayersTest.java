package org.panamaverbs.ddp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import java.lang.foreign.Linker;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.ProtocolRules;
import org.panamaverbs.testing.layers.Layers;
import org.panamaverbs.testing.layers.LayersTestCase;

/** The layers: an import only ever points down, also to the packages of soft-iwarp. The interface for programs knows nothing below it. */
class LayersTest extends LayersTestCase {
    // @formatter:off
    private static final Layers LAYERS = new Layers("org.panamaverbs.ddp").beside("softiwarp", "org.panamaverbs.softiwarp")
            .layer("socket", "sockets and listeners: drivers on an event loop", "", "socket.protocol", "buffers", "ddpp", "sctp",
                    "transport.sctp", "softiwarp", "softiwarp.cm", "softiwarp.progress", "softiwarp.transport",
                    "softiwarp.transport.kind", "softiwarp.transport.nio", "softiwarp.mpa", "softiwarp.ddp", "softiwarp.memory",
                    "softiwarp.wire")
            .layer("socket.protocol", "one protocol each: MPA, SCTP, DDPP; without I/O", "", "buffers", "ddpp", "softiwarp.mpa",
                    "softiwarp.ddp", "softiwarp.memory", "softiwarp.wire")
            .layer("buffers", "buffers, receives and indications of a socket: an `UpperLayer`", "", "softiwarp.ddp", "softiwarp.memory",
                    "softiwarp.wire")
            .layer("ddpp", "DDPP core over datagrams and byte streams", "softiwarp.ddp", "softiwarp.memory", "softiwarp.wire")
            .layer("sctp", "RFC 5043: DDP over SCTP", "softiwarp.ddp", "softiwarp.memory", "softiwarp.wire")
            .layer("transport.sctp", "SCTP by the JDK's channels", "softiwarp.transport", "softiwarp.transport.nio")
            .layer("", "the interface for programs (RFC 4296)")
            .circle("buffers.Buffer", "buffers.Buffers")
            .circle("socket.AbstractSocket", "socket.DatagramSocket", "socket.DrivenSocket", "socket.MemorySocket",
                    "socket.MemoryStreams", "socket.MpaStreams", "socket.Rfc5041Socket", "socket.SctpOpening", "socket.SctpStreams",
                    "socket.SoftDdpContext", "socket.SoftDdpGroup", "socket.SoftDdpProvider", "socket.StreamListener",
                    "socket.StreamSocket", "socket.TcpOpen", "socket.TcpStreams");
    // @formatter:on

    private static final String[] PROTOCOL = { "socket.protocol", "buffers", "ddpp", "sctp" };

    LayersTest() {
        super(LAYERS, "docs/reference/layers.md");
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
        noClasses().that().resideOutsideOfPackage(name("transport..")).should().dependOnClassesThat()
                .resideInAnyPackage("java.nio.channels..", "com.sun.nio.sctp..", "org.panamaverbs.bindings..").orShould()
                .dependOnClassesThat().areAssignableTo(Linker.class).check(classes);
    }
}
