package org.panamaverbs.sockets;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.layers.Layers;
import org.panamaverbs.testing.layers.LayersTestCase;

/** The layers: the protocol knows no device, thread or clock. */
class LayersTest extends LayersTestCase {
    // @formatter:off
    private static final Layers LAYERS = new Layers("org.panamaverbs.sockets")
            .layer("", "streams over a queue pair, their loop, and sockets whose methods wait", "protocol")
            .layer("protocol", "a stream without I/O: private data, messages, credits, targets, both ends")
            // Until the streams are rebuilt.
            .circle("ByteStream", "StreamListener", "StreamLoop")
            .circle("VerbsServerSocket", "VerbsSockets");
    // @formatter:on

    LayersTest() {
        super(LAYERS, "docs/reference/layers.md");
    }

    @Test
    void shouldKeepTheProtocolFreeOfDevicesThreadsAndClocks() {
        classes().that().resideInAPackage(name("protocol")).should().onlyDependOnClassesThat()
                .resideInAnyPackage(name("protocol"), "java.lang", "java.lang.foreign", "java.lang.invoke", "java.lang.runtime", "java.io",
                        "java.nio", "org.jspecify.annotations")
                .check(classes);
        noClasses().that().resideInAPackage(name("protocol")).should().callMethod(System.class, "nanoTime").orShould()
                .callMethod(System.class, "currentTimeMillis").orShould().dependOnClassesThat().areAssignableTo(Thread.class)
                .check(classes);
    }
}
