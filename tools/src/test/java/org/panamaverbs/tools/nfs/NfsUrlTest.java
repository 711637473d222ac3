package org.panamaverbs.tools.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.panamaverbs.tools.shared.HostPort;

class NfsUrlTest {
    @Test
    void shouldTakeUrlsApart() {
        NfsUrl url = NfsUrl.parse("nfs://host:2050/a/b%20c");
        assertEquals(new HostPort("host", 2050), url.address(20049));
        assertEquals("b%20c", url.name());
        assertEquals("a/", url.folder());
        assertFalse(url.isFolder());
    }

    @Test
    void shouldTakeTheUsualPort() {
        assertEquals(new HostPort("host", 20049), NfsUrl.parse("nfs://host/").address(20049));
        assertEquals(new HostPort("::1", 2049), NfsUrl.parse("nfs://[::1]/x").address(2049));
    }

    @Test
    void shouldKnowFolders() {
        assertTrue(NfsUrl.parse("nfs://host/").isFolder());
        assertTrue(NfsUrl.parse("nfs://host/a/").isFolder());
        assertEquals("", NfsUrl.parse("nfs://host/file").folder());
    }

    @Test
    void shouldRefuseOtherTexts() {
        for (String text : new String[] { "", "host/file", "nfs://", "nfs:///file", "nfs://host", "http://host/file" }) {
            assertThrows(IllegalArgumentException.class, () -> NfsUrl.parse(text), () -> text);
        }
    }
}
