package org.panamaverbs.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.testing.conformance.Requirement;

/** Everything that a Linux client and a Linux server said to each other, compared with the findings of tshark. */
class NfsCaptureTest {
    /** A message of the capture; {@code kind} also names the STag that a Send with Invalidate names. */
    record Message(int frame, boolean call, String kind, byte[] bytes, String found) {
        static Message of(String[] fields) {
            return new Message(Integer.parseInt(fields[0]), fields[1].equals("call"), fields[2], HexFormat.of().parseHex(fields[3]),
                    fields[4]);
        }

        @Override
        public String toString() {
            return "frame " + frame + ": " + found;
        }
    }

    private static List<Message> capture() {
        return Vector.lines("nfs4-capture.txt").stream().map(Message::of).toList();
    }

    static List<Message> messages() {
        return capture().stream().filter(message -> !message.kind().equals("private data")).toList();
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldFindWhatTsharkFinds(Message message) {
        Reading reading = Reading.of(message.bytes());
        assertEquals("SOUND " + message.found(), reading.found());
        HeaderReader reader = reading.reader();
        if (reader.procedure() == Wire.MSG) {
            assertEquals(reader.xid(), reader.payloadXid());
            assertEquals(message.call() ? Wire.CALL : Wire.REPLY, reader.payloadType());
        } else {
            assertEquals(0, reader.payloadLength());
            assertEquals(-1, reader.payloadType());
        }
    }

    @ParameterizedTest
    @MethodSource("messages")
    @Requirement("RFC8166-4-a")
    void shouldWriteTheSameBytes(Message message) {
        Reading reading = Reading.of(message.bytes());
        byte[] header = Arrays.copyOf(message.bytes(), Math.toIntExact(reading.reader().payloadOffset()));
        assertArrayEquals(header, reading.written().orElseThrow());
    }

    @Test
    void shouldFindTheInvalidatedHandleInItsCall() {
        List<Message> all = messages();
        assertEquals(88, all.size());
        long invalidating = all.stream().filter(message -> message.kind().startsWith("invalidate ")).peek(reply -> {
            String handle = reply.kind().substring("invalidate ".length());
            String xid = reply.found().substring(0, 8);
            assertTrue(all.stream().anyMatch(call -> call.call() && call.found().startsWith(xid) && call.found().contains(handle + ":")),
                    reply.toString());
        }).count();
        assertEquals(18, invalidating);
    }

    @Test
    void shouldReadThePrivateDataOfBothSides() {
        List<PrivateData> found = capture().stream().filter(message -> message.kind().equals("private data"))
                .map(message -> PrivateData.decode(message.bytes()).orElseThrow()).toList();
        // In front of each are the depths of MPA (RFC 6581).
        assertEquals(List.of(new PrivateData(true, 4096, 4096), new PrivateData(false, 4096, 4096)), found);
    }
}
