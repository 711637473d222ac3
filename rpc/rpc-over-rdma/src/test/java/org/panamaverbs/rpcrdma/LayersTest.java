package org.panamaverbs.rpcrdma;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.layers.Layers;
import org.panamaverbs.testing.layers.LayersTestCase;

/** The layers: an import only ever points down, and the protocol knows no device, thread or clock. */
class LayersTest extends LayersTestCase {
    // @formatter:off
    private static final Layers LAYERS = new Layers("org.panamaverbs.rpcrdma")
            .layer("", "clients, services and transports; what a program says of placement", "link", "tcp", "endpoint", "gate", "limits",
                    "message")
            .layer("link", "a queue pair, a domain and memory for each connection; a thread for up to eight of them", "endpoint", "gate",
                    "wire")
            .layer("tcp", "records of RPC over TCP", "gate", "message")
            .layer("endpoint", "the protocol without I/O: requester and responder", "gate", "message", "wire")
            .layer("gate", "keeps connections within the limits of their service", "limits")
            .layer("limits", "what peers may take of a service: settings, shares, counts")
            .layer("message", "XDR streams that know which data lie beside them")
            .layer("wire", "transport headers, private data, properties")
            .circle("endpoint.AnswerDecoder", "endpoint.CallAssembly", "endpoint.CallMemory", "endpoint.CallMessage",
                    "endpoint.Endpoint", "endpoint.InboundCall", "endpoint.PropertyExchange", "endpoint.Refusals",
                    "endpoint.ReplyMessage", "endpoint.Requester", "endpoint.Responder")
            .circle("gate.Debt", "gate.Gate", "gate.Seat");
    // @formatter:on

    LayersTest() {
        super(LAYERS, "docs/reference/layers.md");
    }

    @Test
    void shouldKeepTheProtocolFreeOfDevicesThreadsAndClocks() {
        classes().that().resideInAnyPackage(name("wire"), name("message"), name("endpoint")).should().onlyDependOnClassesThat()
                .resideInAnyPackage(name("") + "..", "java.lang", "java.lang.foreign", "java.lang.invoke", "java.lang.runtime", "java.io",
                        "java.nio", "java.util", "java.util.function", "java.util.stream", "java.util.concurrent",
                        "java.util.concurrent.atomic", "java.util.concurrent.locks", "org.dcache.oncrpc4j..", "org.glassfish.grizzly..")
                .check(classes);
        noClasses().that().resideInAnyPackage(name("wire"), name("message"), name("endpoint")).should().callMethod(System.class, "nanoTime")
                .orShould().callMethod(System.class, "currentTimeMillis").orShould().dependOnClassesThat().areAssignableTo(Thread.class)
                .check(classes);
    }
}
