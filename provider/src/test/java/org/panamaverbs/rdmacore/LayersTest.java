package org.panamaverbs.rdmacore;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Linker;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.layers.Layers;
import org.panamaverbs.testing.layers.LayersTestCase;

/** The layers of the provider for RDMA devices: an import only ever points down. */
class LayersTest extends LayersTestCase {
    // @formatter:off
    private static final Layers LAYERS = new Layers("org.panamaverbs.rdmacore")
            .layer("", "the provider, its session, and the verbs objects, thin", "cm", "event", "post", "probe", "queue", "memory",
                    "lifecycle", "ffi")
            .layer("cm", "connecting, listening, accepting by librdmacm", "event", "lifecycle", "ffi")
            .layer("event", "the thread that reads events, the channels of completion queues, and the objects as both see them",
                    "lifecycle", "ffi")
            .layer("post", "work requests on their way to the device, and its reports on their way back", "probe", "queue", "memory",
                    "lifecycle", "ffi")
            .layer("probe", "the devices and their abilities", "queue", "ffi")
            .layer("queue", "rings of requests beside the device's, and completion queues", "ffi")
            .layer("memory", "regions and windows of a domain, and the table of keys", "ffi")
            .layer("lifecycle", "closing once, and the end of queue pairs")
            .layer("ffi", "the calls of the libraries, native memory, names of errors")
            .circle("AddressHandleFactory", "CompletionQueueFactory", "ConnectedChanges", "CoreAddressHandle", "CoreAddressedQueuePair", "CoreCompletionChannel",
                    "CoreCompletionQueue", "CoreDatagramQueuePair", "CoreDevice", "CoreNativeHandles", "CoreProtectionDomain", "CoreQueuePair",
                    "CoreSharedReceiveQueue", "ManagedQueuePair", "OwnQueuePair", "PathSteps", "QueuePairInitAttributes",
                    "QueuePairLife", "WorkQueuePair", "WorkQueues")
            .circle("event.ChannelWatch", "event.EventChannel", "event.EventReader")
            .circle("memory.CoreMemoryRegion", "memory.CoreMemoryWindow", "memory.DomainMemory", "memory.Regions", "memory.Registration",
                    "memory.WindowOwner");
    // @formatter:on

    LayersTest() {
        super(LAYERS, "docs/reference/layers.md");
    }

    @Test
    void shouldLinkNativeFunctionsOnlyInFfi() {
        noClasses().that().resideOutsideOfPackage(name("ffi")).should().dependOnClassesThat().areAssignableTo(Linker.class).check(classes);
    }

    @Test
    void shouldExportNothing() throws IOException, URISyntaxException {
        Path folder = Path.of(RdmaCoreProvider.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (InputStream module = Files.newInputStream(folder.resolve("module-info.class"))) {
            Set<ModuleDescriptor.Exports> exports = ModuleDescriptor.read(module).exports();
            assertEquals(Set.of(), exports);
        }
        classes().that().resideInAPackage(name("")).and().arePublic().and().areTopLevelClasses().should().haveSimpleName("RdmaCoreProvider")
                .check(classes);
    }

    @Test
    void shouldUseNoOtherProvider() {
        noClasses().should().dependOnClassesThat().resideInAPackage("org.panamaverbs.softiwarp..").check(classes);
    }
}
