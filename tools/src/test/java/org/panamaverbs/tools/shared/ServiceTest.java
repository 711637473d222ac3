package org.panamaverbs.tools.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;

class ServiceTest {
    @Test
    void shouldShowControlsOfALineAsNumbers() {
        StringWriter said = new StringWriter();
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
                Service service = new Service(verbs.device(), new InetSocketAddress("127.0.0.1", 0), 1, new PrintWriter(said), "")) {
            service.say("10.0.0.1:7: PUT \u009B2J\nrefused");
        }
        assertEquals("10.0.0.1:7: PUT \\u{9b}2J\\u{a}refused", said.toString().lines().skip(1).findFirst().orElse(""));
    }
}
