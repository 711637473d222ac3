package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CastUrlTest {
    @ParameterizedTest
    @CsvSource({ "udp://127.0.0.1:7176,true,false,udp://127.0.0.1:7176", "tcp://127.0.0.1:0,false,false,tcp://127.0.0.1:0",
            "udp://239.1.2.3:1,true,true,udp://239.1.2.3:1", "udp://[::1]:7176,true,false,udp://[0:0:0:0:0:0:0:1]:7176",
            "udp://[ff02::7176]:7176,true,true,udp://[ff02:0:0:0:0:0:0:7176]:7176" })
    void shouldReadAPlace(String text, boolean datagrams, boolean group, String again) {
        CastUrl url = CastUrl.parse(text);
        assertAll(() -> assertEquals(datagrams, url.isDatagrams()), () -> assertEquals(group, url.isGroup()),
                () -> assertEquals(again, url.toString()));
    }
}
