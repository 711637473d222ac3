package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.softiwarp.fixtures.QuietChannel;
import org.panamaverbs.softiwarp.transport.TcpOptions;
import org.panamaverbs.testing.conformance.Requirement;

/** How long an FPDU may be, and other values that follow from settings. */
class SettingsTest {
    /** RFC 5044, 4.5: EMSS - (6 + EMSS mod 4), at least 128; 3: at most 64,768. The segments of loopback are longer. */
    @ParameterizedTest
    @CsvSource({ "1460, 1454", "1448, 1442", "1449, 1442", "9000, 8994", "88, 128", "0, 128", "65483, 64768" })
    @Requirement({ "RFC5044-3-d,e", "RFC5044-4.5-b,d", "RFC5044-5.1-a" })
    void shouldFitAnFpduIntoASegment(int segmentSize, int mulpdu) {
        Configuration configuration = Configuration.builder().set("panamaverbs.softiwarp.fpdu", "segment").build();
        assertEquals(mulpdu, Settings.of(configuration).mulpdu(segmentSize, false));
    }

    /** A network may change bytes; memory and the loopback interface do not. */
    @ParameterizedTest
    @CsvSource({ "auto, 127.0.0.1, 127.0.0.1, false", "auto, ::1, ::1, false", "auto, 192.0.2.1, 192.0.2.2, true",
            "auto, 192.0.2.1, 127.0.0.1, true", "auto, 127.0.0.1, 192.0.2.1, true", "on, 127.0.0.1, 127.0.0.1, true",
            "off, 192.0.2.1, 192.0.2.2, false" })
    void shouldAskForCrcsWhereBytesLeaveTheMachine(String crc, String local, String remote, boolean asks) {
        Settings settings = Settings.of(Configuration.builder().set("panamaverbs.softiwarp.crc", crc).build());
        assertEquals(asks, settings.asksForCrc(new QuietChannel() {
            @Override
            public InetSocketAddress localAddress() {
                return new InetSocketAddress(local, 1);
            }

            @Override
            public InetSocketAddress remoteAddress() {
                return new InetSocketAddress(remote, 2);
            }
        }));
    }

    /** A peer that asks for Markers gets FPDUs that fit into a segment whatever is set, and shorter ones if that is set. */
    @ParameterizedTest
    @CsvSource({ "64704, 1448, 1430", "segment, 1448, 1430", "200, 1448, 218", "64704, 65483, 64722", "segment, 65483, 64768" })
    @Requirement({ "RFC5044-4.5-a", "RFC5044-5.1-a" })
    void shouldFitAnFpduWithMarkersIntoASegment(String fpdu, int segmentSize, int mulpdu) {
        Configuration configuration = Configuration.builder().set("panamaverbs.softiwarp.fpdu", fpdu).build();
        assertEquals(mulpdu, Settings.of(configuration).mulpdu(segmentSize, true));
        assertTrue(Settings.of(configuration).followsSegments(true));
        assertEquals(fpdu.equals("segment"), Settings.of(configuration).followsSegments(false));
    }

    /** RFC 5044, 3: no ULPDU has more than 64,768 bytes, whatever the setting. */
    @Test
    @Requirement("RFC5044-3-d,e")
    void shouldMakeNoUlpduLongerThanTheLongest() {
        assertTrue(Settings.of(Configuration.builder().build()).mulpdu(65_535, false) <= 64_768);
        Configuration longest = Configuration.builder().set("panamaverbs.softiwarp.fpdu", "64704").build();
        assertTrue(Settings.of(longest).mulpdu(65_535, false) <= 64_768);
        for (String refused : List.of("64705", "64769", "127")) {
            assertThrows(IllegalArgumentException.class,
                    () -> Settings.of(Configuration.builder().set("panamaverbs.softiwarp.fpdu", refused).build()), refused);
        }
    }

    /** Within 30 s, if nobody sets other times. */
    @Test
    void shouldEndConnectionsOverACutLinkUnlessToldOtherwise() {
        assertEquals(new TcpOptions("", 20_000, 20_000), Settings.of(Configuration.builder().build()).tcp());
        assertEquals(
                new TcpOptions("reno", 0, 700), Settings
                        .of(Configuration.builder().set("panamaverbs.softiwarp.congestion-control", "reno")
                                .set("panamaverbs.softiwarp.keepalive", "0").set("panamaverbs.softiwarp.user-timeout", "700").build())
                        .tcp());
        for (String name : List.of("keepalive", "user-timeout")) {
            for (String refused : List.of("-1", "3600001", "on")) {
                assertThrows(IllegalArgumentException.class,
                        () -> Settings.of(Configuration.builder().set("panamaverbs.softiwarp." + name, refused).build()), name + refused);
            }
        }
    }

    /** A peer that delays an acknowledgement is not silent. */
    @Test
    void shouldRefuseAUserTimeoutThatEndsLivingPeers() {
        for (String taken : List.of("0", "500")) {
            assertEquals(Integer.parseInt(taken), Settings
                    .of(Configuration.builder().set("panamaverbs.softiwarp.user-timeout", taken).build()).tcp().userTimeoutMillis());
        }
        for (String refused : List.of("1", "499")) {
            String said = assertThrows(IllegalArgumentException.class,
                    () -> Settings.of(Configuration.builder().set("panamaverbs.softiwarp.user-timeout", refused).build())).getMessage();
            assertTrue(said.contains("is neither 0 nor between 500 and 3600000: a living peer may delay an acknowledgement"), said);
        }
    }

    @ParameterizedTest
    @CsvSource({ "1460", "65483" })
    void shouldNotDependOnTheSegmentIfALengthIsSet(int segmentSize) {
        Configuration configuration = Configuration.builder().set("panamaverbs.softiwarp.fpdu", "1440").build();
        assertEquals(1440 + 18, Settings.of(configuration).mulpdu(segmentSize, false));
    }

    /** RFC 5042, 6.4.3.1: what a queue pair may hold of a shared receive queue; all of it unless it is set, and never nothing. */
    @ParameterizedTest
    @CsvSource({ "100, 8, 8", "50, 8, 4", "50, 7, 3", "1, 8, 1", "99, 65536, 64880" })
    void shouldGiveAQueuePairItsShareOfASharedReceiveQueue(String percent, int depth, int share) {
        Configuration configuration = Configuration.builder().set("panamaverbs.softiwarp.shared-receive-share", percent).build();
        assertEquals(share, Settings.of(configuration).share(depth));
        assertEquals(depth, Settings.of(Configuration.builder().build()).share(depth));
    }
}
