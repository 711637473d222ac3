package org.panamaverbs.nfs.xdr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AttributesTest {
    /** As the RFC orders them: type, size, fileid, mode, owner, time_modify, mounted_on_fileid. */
    private static final String FILE = "00000002 00100012 00a00012 00000034"
            + " 00000001 00000000 00100000 00000000 00000007 000001a4 00000004 726f6f74 00000000 65000000 00000005 00000000 00000008";

    private static Attributes file() {
        return new Attributes().with(Attribute.OWNER, "root").with(Attribute.SIZE, 1L << 20).with(Attribute.TYPE, FileType.REGULAR)
                .with(Attribute.FILEID, 7L).with(Attribute.MODE, 0644).with(Attribute.TIME_MODIFY, new NfsTime(0x65000000L, 5))
                .with(Attribute.MOUNTED_ON_FILEID, 8L);
    }

    @Test
    void shouldEncodeInAscendingOrder() throws IOException {
        // mounted_on_fileid (55), time_modify (53), owner (36), mode (33) are in the second word.
        String expected = FILE;
        assertEquals(expected, Streams.encoded(file()::encode));
    }

    @Test
    void shouldDecodeWhatItEncodes() throws IOException {
        assertEquals(file(), Attributes.decode(Streams.decoding(Streams.encoded(file()::encode))));
    }

    @Test
    void shouldEncodeAndDecodeEveryAttribute() throws IOException {
        Attributes all = new Attributes().with(Attribute.SUPPORTED_ATTRS, Bitmap.of(0, 31, 32, 75))
                .with(Attribute.TYPE, FileType.CHARACTER_DEVICE).with(Attribute.FSID, new FileSystemId(1, -1))
                .with(Attribute.RDATTR_ERROR, Status.STALE).with(Attribute.FILEHANDLE, FileHandle.of((byte) 1, (byte) 2, (byte) 3))
                .with(Attribute.RAWDEV, new DeviceNumber(5, 1)).with(Attribute.TIME_ACCESS_SET, new SetTime(Optional.empty()))
                .with(Attribute.TIME_MODIFY_SET, new SetTime(Optional.of(new NfsTime(-1, 999_999_999))))
                .with(Attribute.OWNER_GROUP, "größe").with(Attribute.LINK_SUPPORT, true).with(Attribute.LEASE_TIME, 90)
                .with(Attribute.CHANGE, -1L).with(Attribute.SUPPATTR_EXCLCREAT, Bitmap.of(Attribute.MODE));
        assertEquals(all, Attributes.decode(Streams.decoding(Streams.encoded(all::encode))));
    }

    @Test
    void shouldRefuseAnAttributeWithoutFormat() {
        UnknownAttributeException failure = assertThrows(UnknownAttributeException.class,
                () -> Attributes.decode(Streams.decoding("00000001 00001000 00000004 00000000")));
        assertTrue(failure.getMessage().contains("12"), failure.getMessage());
    }

    @Test
    void shouldRefuseBytesBehindTheValues() {
        assertThrows(IOException.class, () -> Attributes.decode(Streams.decoding("00000001 00000002 00000008 00000001 00000000")));
    }

    @Test
    void shouldRefuseValuesThatEndEarly() {
        assertThrows(IOException.class, () -> Attributes.decode(Streams.decoding("00000001 00000010 00000004 00000001")));
    }

    @Test
    void shouldRefuseALengthBeyondItsLimitBeforeMakingRoom() {
        assertThrows(IOException.class, () -> Attributes.decode(Streams.decoding("00000001 00000002 7fffffff 00000001")));
        assertThrows(IOException.class, () -> Attributes.decode(Streams.decoding("00000001 00000002 ffffffff 00000001")));
        assertThrows(IOException.class, () -> Bitmap.decode(Streams.decoding("00000011")));
    }

    @Test
    void shouldFailOnlyByXdrErrorsOnRandomBytes() {
        long seed = 20240707;
        Random random = new Random(seed);
        int decoded = 0;
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder hex = new StringBuilder("00000002");
            hex.append(String.format("%08x%08x%08x", random.nextInt() & random.nextInt() & random.nextInt(),
                    random.nextInt() & random.nextInt() & random.nextInt(), 4 * random.nextInt(16)));
            for (int word = 0; word < 16; word++) {
                hex.append(String.format("%08x", random.nextInt(4) > 0 ? random.nextInt(8) : random.nextInt()));
            }
            try {
                Attributes.decode(Streams.decoding(hex.toString()));
                decoded++;
            } catch (IOException e) {
                // A runtime exception or an error would fail the test.
                refused++;
            }
        }
        assertTrue(decoded > 0 && refused > 0, () -> "seed " + seed + " shows nothing");
    }

    @Test
    void shouldGiveOnlyWhatIsThere() {
        assertEquals(Optional.empty(), file().get(Attribute.CHANGE));
        assertThrows(IOException.class, () -> file().require(Attribute.CHANGE));
        assertTrue(file().present().contains(Attribute.SIZE));
    }
}
