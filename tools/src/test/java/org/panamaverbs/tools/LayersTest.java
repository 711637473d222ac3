package org.panamaverbs.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.layers.Layers;
import org.panamaverbs.testing.layers.LayersTestCase;

/** The commands stand beside each other, over what they share; and they are programs of the public API. */
class LayersTest extends LayersTestCase {
    // @formatter:off
    private static final Layers LAYERS = new Layers("org.panamaverbs.tools")
            .layer("", "`Pverbs` and the short commands", "perf", "ping", "copy", "cast", "nfs", "capture", "decode", "doctor", "shared")
            .layer("perf", "`perf`: its two ends, its protocol, its report", "perf.idle", "shared")
            .layer("perf.idle", "connections that carry nothing, and the memory that they take", "shared")
            .layer("ping", "`ping`, on rping's wire format", "shared")
            .layer("copy", "`serve` and `copy`: files from mapping to mapping", "files", "shared")
            .layer("cast", "`cast` and `catch`: files to many receivers, and their repair", "files", "shared")
            .layer("nfs", "`nfs`: a client and a server", "files", "shared")
            .layer("capture", "`capture`: runs a program with soft-iwarp's settings for captures", "shared")
            .layer("decode", "`decode`: messages of iWARP from pcap and pcapng files", "shared")
            .layer("doctor", "`doctor`: what the machine lacks for devices", "shared")
            .layer("files", "mapped files, new files without a name, room on the disk, checksums", "shared")
            .layer("shared", "options, text, JSON, listening, messages in turn")
            .circle("decode.PacketFile", "decode.Pcap", "decode.Pcapng")
            .circle("perf.ActiveSide", "perf.Requester", "perf.Run");
    // @formatter:on

    LayersTest() {
        super(LAYERS, "docs/reference/layers.md");
    }

    @Test
    void shouldUseThePublicInterfaceOnly() {
        classes().that().resideInAPackage(name("") + "..").should()
                .onlyDependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(name("") + "..", "org.panamaverbs", "org.panamaverbs.cm",
                        "org.panamaverbs.device", "org.panamaverbs.statistics", "org.panamaverbs.spi.support", "org.panamaverbs.ddp",
                        "org.panamaverbs.rpcrdma", "org.panamaverbs.rpcrdma.limits", "org.panamaverbs.nfs.client",
                        "org.panamaverbs.nfs.server", "org.panamaverbs.nfs.xdr", "org.panamaverbs.posix", "org.panamaverbs.bindings.libc",
                        "org.dcache.oncrpc4j..", "java..", "com.sun.management..", "picocli..", "org.HdrHistogram..",
                        "me.tongfei.progressbar..", "com.fasterxml.jackson.."))
                .check(classes);
    }
}
