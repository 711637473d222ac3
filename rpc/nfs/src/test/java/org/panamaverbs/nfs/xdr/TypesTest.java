package org.panamaverbs.nfs.xdr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TypesTest {
    @Test
    void shouldEncodeAndDecodeStateIds() throws IOException {
        StateId id = new StateId(3, 0x0102030405060708L, 0x090a0b0c);
        assertEquals("00000003 01020304 05060708 090a0b0c", Streams.encoded(id::encode));
        assertEquals(id, StateId.decode(Streams.decoding("00000003 01020304 05060708 090a0b0c")));
        assertTrue(id.isSameState(id.withSequence(4)));
        assertFalse(id.isSameState(StateId.ANONYMOUS));
    }

    @Test
    void shouldEncodeAndDecodeFileHandles() throws IOException {
        FileHandle handle = FileHandle.of((byte) 1, (byte) 2, (byte) 3);
        assertEquals("00000003 01020300", Streams.encoded(handle::encode));
        assertEquals(handle, FileHandle.decode(Streams.decoding("00000003 01020300")));
    }

    @Test
    void shouldRefuseFileHandlesOfMoreThan128Bytes() {
        assertThrows(IOException.class, () -> FileHandle.decode(Streams.decoding("00000081" + "00".repeat(132))));
        assertThrows(IllegalArgumentException.class, () -> FileHandle.of(new byte[129]));
    }

    @Test
    void shouldRefuseTimesWithTooManyNanoseconds() throws IOException {
        assertEquals(new NfsTime(1, 999_999_999), NfsTime.decode(Streams.decoding("00000000 00000001 3b9ac9ff")));
        assertThrows(IOException.class, () -> NfsTime.decode(Streams.decoding("00000000 00000001 3b9aca00")));
        assertThrows(IOException.class, () -> NfsTime.decode(Streams.decoding("00000000 00000001 ffffffff")));
    }

    @Test
    void shouldMakeInstantsOfAnyTime() {
        assertEquals(Instant.MAX.getEpochSecond(), new NfsTime(Long.MAX_VALUE, 1).toInstant().getEpochSecond());
        assertEquals(Instant.ofEpochSecond(-1, 5), new NfsTime(-1, 5).toInstant());
    }

    @Test
    void shouldEncodeAndDecodeTimesToSet() throws IOException {
        assertEquals("00000000", Streams.encoded(new SetTime(Optional.empty())::encode));
        assertEquals(new SetTime(Optional.of(new NfsTime(1, 2))), SetTime.decode(Streams.decoding("00000001 00000000 00000001 00000002")));
        assertThrows(IOException.class, () -> SetTime.decode(Streams.decoding("00000002")));
    }

    @Test
    void shouldEncodeBitmapsWithoutEmptyWordsAtTheEnd() throws IOException {
        assertEquals("00000000", Streams.encoded(Bitmap.EMPTY::encode));
        assertEquals("00000001 80000000", Streams.encoded(Bitmap.of(31)::encode));
        assertEquals("00000003 00000001 00000002 00000800", Streams.encoded(Bitmap.of(0, 33, 75)::encode));
        assertEquals(Bitmap.of(0, 33, 75), Bitmap.decode(Streams.decoding("00000004 00000001 00000002 00000800 00000000")));
        assertEquals(Bitmap.of(33), Bitmap.of(1, 33).and(Bitmap.of(33, 34)));
        assertEquals(Bitmap.of(1), Bitmap.of(1, 33).without(Bitmap.of(33, 34)));
    }

    @Test
    void shouldEncodeAndDecodeChannels() throws IOException {
        ChannelAttributes channel = new ChannelAttributes(0, 1, 2, 3, 4, 5);
        String hex = "00000000 00000001 00000002 00000003 00000004 00000005 00000000";
        assertEquals(hex, Streams.encoded(channel::encode));
        assertEquals(channel, ChannelAttributes.decode(Streams.decoding(hex)));
        assertEquals(channel, ChannelAttributes.decode(Streams.decoding(hex.substring(0, hex.length() - 1) + "1 00000009")));
        assertThrows(IOException.class, () -> ChannelAttributes.decode(Streams.decoding(hex.substring(0, hex.length() - 1) + "2")));
    }

    @Test
    void shouldEncodeAndDecodeTheRest() throws IOException {
        assertEquals(new SessionId(1, 2), SessionId.decode(Streams.decoding(Streams.encoded(new SessionId(1, 2)::encode))));
        assertEquals(new ChangeInfo(true, 1, 2), ChangeInfo.decode(Streams.decoding(Streams.encoded(new ChangeInfo(true, 1, 2)::encode))));
        assertThrows(IOException.class, () -> ChangeInfo.decode(Streams.decoding("00000002")));
    }

    @Test
    void shouldKnowOperationsAndStatusByNumber() throws IOException {
        assertEquals(Optional.of(Operation.SEQUENCE), Operation.of(53));
        assertEquals(Optional.empty(), Operation.of(59));
        assertEquals(Status.RETRY_UNCACHED_REP, Status.decode(Streams.decoding("00002754")));
        assertEquals("NFS4ERR_NOENT", Status.NOENT.rfcName());
        assertThrows(IOException.class, () -> Status.decode(Streams.decoding("00000003")));
        assertThrows(IOException.class, () -> FileType.decode(Streams.decoding("00000000")));
        assertThrows(IOException.class, () -> FileType.decode(Streams.decoding("0000000a")));
        assertEquals(FileType.NAMED_ATTRIBUTE, FileType.decode(Streams.decoding("00000009")));
    }

    @Test
    void shouldRefuseStringsThatAreNotUtf8() {
        assertThrows(IOException.class, () -> Bounded.string(Streams.decoding("00000001 ff000000"), 10, "a name"));
        assertThrows(IOException.class, () -> Bounded.string(Streams.decoding("0000000b 41414141 41414141 41414100"), 10, "a name"));
    }
}
