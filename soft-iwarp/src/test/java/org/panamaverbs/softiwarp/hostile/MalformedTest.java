package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** Each thing that a peer can get wrong has its one name, is answered with a Terminate, and writes nothing. */
class MalformedTest {
    /** A stream, and memory that the peer is to leave alone. */
    private static final class World {
        final Rig rig;
        final RegisteredMemory target;
        final RegisteredMemory readOnly;
        final RegisteredMemory writeOnly;
        final RegisteredMemory foreign;
        final RegisteredMemory receive;

        World(Rig.Options options) {
            rig = new Rig(options, 8 * Rig.room(Lie.Known.LENGTH));
            target = rig.region(Lie.Known.LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC);
            readOnly = rig.region(Lie.Known.LENGTH, Access.LOCAL_WRITE, Access.REMOTE_READ);
            writeOnly = rig.advertisedElsewhere(Lie.Known.LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            foreign = rig.foreignRegion(Lie.Known.LENGTH, Access.values());
            receive = rig.region(Lie.Known.RECEIVE, Access.LOCAL_WRITE);
            rig.receive(1, receive);
        }

        /** Feeds an FPDU in pieces of at most so many bytes. Its CRC is neither right nor the 0 that an end without CRCs sends. */
        void feedWithWrongCrc(byte[] ulpdu, int piece) {
            byte[] bytes = Forge.fpdu(ulpdu, true);
            bytes[bytes.length - 1] ^= 1;
            for (int at = 0; at < bytes.length; at += piece) {
                rig.feed(bytes, at, Math.min(bytes.length, at + piece));
            }
        }

        Lie.Known known() {
            return new Lie.Known(place(target), place(readOnly), place(writeOnly), place(foreign), place(receive), Lie.Place.NOWHERE,
                    Lie.Place.NOWHERE, Lie.Place.NOWHERE, Lie.Place.NOWHERE, Lie.Place.NOWHERE, 0);
        }

        private static Lie.Place place(RegisteredMemory memory) {
            return new Lie.Place(memory.stag(), memory.base());
        }

        void assertUntouched() {
            rig.assertGuards();
            List.of(target, readOnly, writeOnly).forEach(memory -> Rig.assertFilled(memory.segment()));
            assertEquals(-1, foreign.segment().mismatch(MemorySegment.ofArray(new byte[Lie.Known.LENGTH])));
        }

        /** The last of what the stream sent is a Terminate with this code. */
        Segment assertTerminated(int code) {
            assertEquals(TerminateCode.describe(code), TerminateCode.describe(rig.errorCode()));
            assertEquals(StreamState.TERMINATING, rig.stream().state());
            assertFalse(rig.isErrorFromPeer());
            Segment last = rig.sent().getLast();
            assertEquals(Rdmap.TERMINATE, last.opcode());
            assertEquals(Rdmap.TERMINATE_QUEUE, last.queue());
            assertEquals(1, last.messageSequence());
            assertTrue(last.isLast());
            assertEquals(code, last.payload()[0] << 8 | last.payload()[1] & 0xFF);
            assertEquals(code, Terminate.error(last.stream(), last.payloadAt()));
            return last;
        }
    }

    private static List<Lie> lies() {
        return LiesByError.all();
    }

    private static Stream<Arguments> liesAndOptions() {
        return lies().stream().flatMap(lie -> Stream.of(Rig.Options.of(false), Rig.Options.of(true), Rig.Options.of(true).verifying())
                .map(options -> Arguments.of(lie, options)));
    }

    @ParameterizedTest
    @MethodSource("liesAndOptions")
    @Requirement({ "RFC5040-4.8-c", "RFC5040-5.2.1-m", "RFC5040-5.3-j", "RFC5040-6.2.1-a", "RFC5040-7.1-b", "RFC5040-7.2-a..m",
            "RFC5040-8.1.1-b,d,f,h", "RFC5042-6.1.1-b", "RFC5042-6.2.1-a", "RFC5042-6.4.5-a", "RFC5041-4.1-i,j", "RFC5041-4.2-f",
            "RFC5041-4.3-h,i,m", "RFC5041-5.3-d", "RFC5041-6.2.2-a", "RFC5041-7-a", "RFC5041-7.1-a,b,d,e,h", "RFC5041-7.2-a",
            "RFC5041-8.2-a", "RFC5041-8.3-d", "RFC5041-8.3.1-b,d,f", "RFC7306-5.2.1-h", "RFC7306-6.3-c,h", "RFC7306-8.2-a,c,e" })
    void shouldAnswerWithItsCode(Lie lie, Rig.Options options) {
        World world = new World(options);
        world.rig.feed(lie.bytes().of(world.known()));
        world.assertTerminated(lie.answer());
        world.assertUntouched();
    }

    @ParameterizedTest
    @MethodSource("lies")
    void shouldAnswerWithItsCodeWhenItComesByteByByte(Lie lie) {
        World world = new World(Rig.Options.of(true));
        byte[] bytes = lie.bytes().of(world.known());
        for (int i = 0; i < bytes.length; i++) {
            world.rig.feed(bytes, i, i + 1);
        }
        world.assertTerminated(lie.answer());
        world.assertUntouched();
    }

    /** RFC 5040, figure 10: which headers a Terminate repeats. */
    @ParameterizedTest
    @MethodSource("lies")
    @Requirement({ "RFC5040-4.8-a,d..k", "RFC5040-7.1-b", "RFC5041-7.1-f", "RFC7306-8.1-a" })
    void shouldRepeatTheHeadersThatTheRfcAsksFor(Lie lie) {
        World world = new World(Rig.Options.of(false));
        byte[] bytes = lie.bytes().of(world.known());
        world.rig.feed(bytes);
        byte[] terminate = world.assertTerminated(lie.answer()).payload();
        if (TerminateCode.layer(lie.answer()) == 2) {
            assertArrayEquals(new byte[] { (byte) (lie.answer() >>> 8), (byte) lie.answer(), 0, 0 }, terminate);
            return;
        }
        MemorySegment all = MemorySegment.ofArray(bytes);
        Segment wrong = new Segment(all, 0);
        while (wrong.end() < bytes.length) {
            wrong = new Segment(all, wrong.end());
        }
        boolean rdma = lie.answer() >>> 8 == 0x01 && wrong.opcode() == Rdmap.READ_REQUEST;
        assertEquals(rdma ? 0xE0 : 0xC0, terminate[2] & 0xFF, "M, D and R");
        assertEquals(0, terminate[3]);
        assertEquals(wrong.ulpduLength(), (terminate[4] & 0xFF) << 8 | terminate[5] & 0xFF, "DDP segment length");
        int header = (int) (wrong.payloadAt() - wrong.header());
        int length = header + (rdma ? 28 : 0);
        int from = (int) wrong.header();
        assertArrayEquals(Arrays.copyOfRange(bytes, from, from + length), Arrays.copyOfRange(terminate, 6, terminate.length));
    }

    @Test
    @Requirement({ "RFC5040-5.2.2-c", "RFC5040-6.1-e" })
    void shouldRefuseMoreReadsThanAgreed() {
        World world = new World(new Rig.Options(false, false, 2, 0));
        world.rig.silence();
        for (int i = 1; i <= 3; i++) {
            assertEquals(StreamState.RTS, world.rig.stream().state());
            world.rig.feed(Forge.read(i, 100, world.target.stag(), world.target.base(), false));
        }
        world.rig.transmit();
        world.assertTerminated(TerminateCode.UNTAGGED_NO_BUFFER);
        world.assertUntouched();
    }

    @Test
    @Requirement({ "RFC5040-6.2.1-a", "RFC5041-7-a", "RFC5044-4.4-l", "RFC5044-8-a" })
    void shouldRefuseABadCrcOfASend() {
        World world = new World(Rig.Options.of(true));
        byte[] bytes = Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(40)), true);
        bytes[30] ^= 1;
        world.rig.feed(bytes);
        world.assertTerminated(TerminateCode.MPA_CRC);
        world.assertUntouched();
        assertTrue(world.rig.completions().isEmpty(), "the receive must not complete");
    }

    @Test
    void shouldNotPlaceABadCrcWhereItVerifiesFirst() {
        World world = new World(Rig.Options.of(true).verifying());
        byte[] bytes = Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, world.target.stag(), world.target.base(), Forge.payload(40)),
                true);
        bytes[bytes.length - 1] ^= 1;
        world.rig.feed(bytes);
        world.assertTerminated(TerminateCode.MPA_CRC);
        world.assertUntouched();
    }

    @Test
    @Requirement("RFC5044-4.4-j")
    void shouldCheckTheCrcOverThePadding() {
        World world = new World(Rig.Options.of(true));
        byte[] bytes = Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(1)), true);
        bytes[bytes.length - 5] = 1;
        world.rig.feed(bytes);
        world.assertTerminated(TerminateCode.MPA_CRC);
    }

    /** Short and long, in one piece and in many: an FPDU that is whole when it is parsed takes another path than one that is not. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 7, 1000 })
    @Requirement({ "RFC5044-4.1-c", "RFC5044-4.4-g", "RFC5044-7.1.1-j,l" })
    void shouldNotLookAtACrcThatIsNotInForce(int piece) {
        World world = new World(Rig.Options.of(false));
        world.feedWithWrongCrc(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(40)), piece);
        assertEquals(StreamState.RTS, world.rig.stream().state());
        assertEquals(1, world.rig.completions().size());
        for (int length : new int[] { 2, 4000 }) {
            world.feedWithWrongCrc(
                    Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, world.target.stag(), world.target.base(), Forge.payload(length)), piece);
            assertEquals(StreamState.RTS, world.rig.stream().state());
            assertEquals(-1, world.target.segment().asSlice(0, length).mismatch(MemorySegment.ofArray(Forge.payload(length))));
        }
        // Nor does a wrong CRC hide what is wrong with the header.
        world.feedWithWrongCrc(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, 0xDEAD, 0, Forge.payload(40)), piece);
        world.assertTerminated(TerminateCode.TAGGED_INVALID_STAG);
    }

    @Test
    @Requirement("RFC5041-5.2-i,j")
    void shouldCheckNeitherStagNorOffsetOfAnEmptyWrite() {
        World world = new World(Rig.Options.of(true));
        world.rig.feed(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, 0xDEAD, -1, new byte[0]), true));
        assertEquals(StreamState.RTS, world.rig.stream().state());
    }

    @Test
    @Requirement("RFC5040-5.2.1-n,o")
    void shouldAnswerAnEmptyReadWithoutLookingAtItsSource() {
        World world = new World(Rig.Options.of(true));
        world.rig.feed(Forge.read(1, 0, 0xDEAD, -1, true));
        assertEquals(StreamState.RTS, world.rig.stream().state());
        Segment answer = world.rig.sent().getFirst();
        assertEquals(Rdmap.READ_RESPONSE, answer.opcode());
        assertEquals(0, answer.payloadLength());
    }

    @Test
    void shouldTakeTheTerminateOfAPeer() {
        World world = new World(Rig.Options.of(true));
        world.rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[] { 0x12, 2, 0, 0 }), true));
        assertEquals(TerminateCode.UNTAGGED_NO_BUFFER, world.rig.errorCode());
        assertTrue(world.rig.isErrorFromPeer());
        assertTrue(world.rig.sent().isEmpty(), "a Terminate is not answered");
    }

    @Test
    void shouldTakeATerminateThatIsTooShortForItsCode() {
        World world = new World(Rig.Options.of(true));
        world.rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[3]), true));
        assertEquals(TerminateCode.RDMA_UNSPECIFIED, world.rig.errorCode());
        assertTrue(world.rig.isErrorFromPeer());
    }

    @Test
    @Requirement({ "RFC5041-6.2.2-a", "RFC5041-7-a", "RFC5044-8-a" })
    void shouldCallAnEndWithinAnFpduWhatItIs() {
        World world = new World(Rig.Options.of(true));
        byte[] bytes = Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(40)), true);
        world.rig.feed(bytes, 0, bytes.length - 1);
        assertFalse(world.rig.stream().inbound().onEndOfStream());
        assertEquals(TerminateCode.MPA_CLOSED, world.rig.errorCode());
    }

    /** The peer leaves between two segments of the answer to a Read. */
    @Test
    void shouldNotTakeAnAnswerThatIsCutShortForAGoodEnd() {
        Rig rig = new Rig(Rig.Options.of(true), Rig.room(1000));
        RegisteredMemory sink = rig.region(1000, Access.LOCAL_WRITE);
        rig.read(1, sink, 0x1000, 0x77);
        rig.feed(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED & ~0x40, Forge.READ_RESPONSE, sink.stag(), sink.base(), Forge.payload(100)),
                true));
        assertFalse(rig.stream().inbound().onEndOfStream());
        assertEquals(TerminateCode.MPA_CLOSED, rig.errorCode());
    }
}
