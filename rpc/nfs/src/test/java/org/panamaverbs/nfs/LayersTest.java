package org.panamaverbs.nfs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.layers.Layers;
import org.panamaverbs.testing.layers.LayersTestCase;

/** The layers: an import only ever points down. The client and the server share {@code xdr} and do not know each other. */
class LayersTest extends LayersTestCase {
    // @formatter:off
    private static final Layers LAYERS = new Layers("org.panamaverbs.nfs")
            .layer("client", "`NfsClient`: one session over one connection", "xdr")
            .layer("server", "`NfsServer`, a program of oncrpc4j", "server.file", "server.session", "server.compound", "server.state",
                    "server.export", "xdr")
            .layer("server.file", "operations on files", "server.compound", "server.state", "server.export", "xdr")
            .layer("server.session", "operations on sessions", "server.compound", "server.state", "server.export", "xdr")
            .layer("server.compound", "COMPOUND: the operations of a call in order, each call executed once", "server.state",
                    "server.export", "xdr")
            .layer("server.state", "clients, sessions with their replies, opens and locks", "server.export", "xdr")
            .layer("server.export", "the exported directory: files by handle and name, and nothing outside of it")
            .layer("xdr", "operations and types as XDR")
            .circle("server.compound.Compound", "server.compound.Handler")
            .circle("server.state.Client", "server.state.Session")
            .circle("server.state.LockSet", "server.state.Open", "server.state.State")
            .circle("server.state.Locks", "server.state.Opens")
            .circle("xdr.Attribute", "xdr.Bitmap", "xdr.Format");
    // @formatter:on

    LayersTest() {
        super(LAYERS, "docs/reference/layers.md");
    }

    @Test
    void shouldKnowNeitherNfsNorRpcWhereFilesAreFound() {
        classes().that().resideInAPackage(name("server.export")).should().onlyDependOnClassesThat()
                .resideInAnyPackage(name("server.export"), "org.panamaverbs.posix", "org.panamaverbs.bindings.libc", "java..")
                .check(classes);
    }

    @Test
    void shouldKnowNoTransportInTheTypes() {
        classes().that().resideInAPackage(name("xdr")).should().onlyDependOnClassesThat()
                .resideInAnyPackage(name("xdr"), "java..", "org.dcache.oncrpc4j..", "org.glassfish.grizzly..").check(classes);
    }
}
