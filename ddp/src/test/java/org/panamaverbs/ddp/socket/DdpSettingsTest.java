package org.panamaverbs.ddp.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.softiwarp.transport.TcpOptions;

/** The settings of a context on its sockets. */
class DdpSettingsTest {
    @Test
    void shouldEndConnectionsOverACutLinkUnlessToldOtherwise() {
        assertEquals(new TcpOptions("", 20_000, 20_000, "panamaverbs.softiwarp.ddp."),
                DdpSettings.of(Configuration.builder().build()).tcp());
        assertEquals(new TcpOptions("reno", 0, 700, "panamaverbs.softiwarp.ddp."),
                DdpSettings.of(Configuration.builder().set("panamaverbs.softiwarp.ddp.congestion-control", "reno")
                        .set("panamaverbs.softiwarp.ddp.keepalive", "0").set("panamaverbs.softiwarp.ddp.user-timeout", "700").build())
                        .tcp());
    }
}
