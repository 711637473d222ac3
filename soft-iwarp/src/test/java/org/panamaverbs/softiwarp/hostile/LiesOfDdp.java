package org.panamaverbs.softiwarp.hostile;

import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_TAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_UNTAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.READ_REQUEST;
import static org.panamaverbs.softiwarp.fixtures.Forge.READ_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.SEND;
import static org.panamaverbs.softiwarp.fixtures.Forge.TERMINATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.WRITE;
import static org.panamaverbs.softiwarp.fixtures.Forge.join;
import static org.panamaverbs.softiwarp.fixtures.Forge.payload;
import static org.panamaverbs.softiwarp.hostile.Lie.ACCEPTED;
import static org.panamaverbs.softiwarp.hostile.Lie.PAYLOAD;
import static org.panamaverbs.softiwarp.hostile.Lie.of;
import static org.panamaverbs.softiwarp.hostile.Lie.tagged;
import static org.panamaverbs.softiwarp.hostile.Lie.untagged;
import static org.panamaverbs.softiwarp.hostile.Lie.write;

import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.softiwarp.fixtures.Forge;

/** The fields of both headers of DDP (RFC 5041, 4). */
final class LiesOfDdp {
    private static final int MORE_TAGGED = 0x81;
    private static final int MORE_UNTAGGED = 0x01;
    private static final int LENGTH = Lie.Known.LENGTH;
    private static final int ASKED = Lie.Known.ASKED;

    private LiesOfDdp() {
    }

    static List<Lie> all() {
        List<Lie> all = new ArrayList<>();
        all.addAll(control());
        all.addAll(stag());
        all.addAll(taggedOffset());
        all.addAll(queueNumber());
        all.addAll(messageSequence());
        all.addAll(messageOffset());
        all.addAll(readResponse());
        return all;
    }

    private static List<Lie> control() {
        return List.of(
                of("DDP version", "3, tagged", "RFC 5041, 7.2", 0x1104,
                        known -> tagged(0xC3, WRITE, known.target().stag(), known.target().offset(), PAYLOAD)),
                of("DDP version", "2, untagged", "RFC 5041, 7.2", 0x1206, known -> untagged(0x42, SEND, 0, 0, 1, 0, payload(PAYLOAD))),
                of("DDP version", "0, in an empty Write", "RFC 5041, 7.2", 0x1104, known -> tagged(0xC0, WRITE, 0, 0, 0)),
                of("T", "set in a Send: a Send's opcode in a tagged header", "RFC 5040, 4.1 and 7.2", 0x0206,
                        known -> Forge.fpdu(Forge.untagged(LAST_TAGGED, SEND, 0, 0, 1, 0, payload(PAYLOAD)), true)),
                // The low half of the address is taken for the QN.
                of("T", "clear in a Write: the Tagged Offset is taken for queue number and MSN", "RFC 5041, 7.2", 0x1201,
                        known -> tagged(LAST_UNTAGGED, WRITE, known.target().stag(), known.target().offset() | 1L << 62, PAYLOAD)),
                of("L", "clear in a Write that no segment follows", "RFC 5041, 4.1", ACCEPTED,
                        known -> tagged(MORE_TAGGED, WRITE, known.target().stag(), known.target().offset(), PAYLOAD)),
                of("L", "clear in a Send, behind which another message comes", "RFC 5041, 5.3 and 7.2", 0x1203,
                        known -> join(untagged(MORE_UNTAGGED, SEND, 0, 0, 1, 0, payload(PAYLOAD)),
                                untagged(LAST_UNTAGGED, SEND, 0, 0, 2, 0, payload(PAYLOAD)))),
                of("L", "clear in a whole Read Request", "RFC 5041, 5.3", ACCEPTED,
                        known -> untagged(MORE_UNTAGGED, READ_REQUEST, 0, 1, 1, 0,
                                Forge.readRequest(1, 2, PAYLOAD, known.target().stag(), known.target().offset()))),
                of("reserved bits", "set, tagged", "RFC 5041, 4.1", ACCEPTED,
                        known -> tagged(LAST_TAGGED | 0x3C, WRITE, known.target().stag(), known.target().offset(), PAYLOAD)),
                of("reserved bits", "set, untagged", "RFC 5041, 4.1", ACCEPTED,
                        known -> untagged(LAST_UNTAGGED | 0x3C, SEND, 0, 0, 1, 0, payload(PAYLOAD))));
    }

    private static List<Lie> stag() {
        String section = "RFC 5041, 7.2 and 8.2";
        return List.of(of("STag", "zero", section, 0x1100, known -> write(0, known.target().offset(), PAYLOAD)),
                of("STag", "all ones", section, 0x1100, known -> write(-1, known.target().offset(), PAYLOAD)),
                of("STag", "another index, the same key", section, 0x1100,
                        known -> write(known.target().stag() ^ 0x4000_0000, known.target().offset(), PAYLOAD)),
                of("STag", "of a region that is closed", section, 0x1100,
                        known -> write(known.closed().stag(), known.closed().offset(), PAYLOAD)),
                of("STag", "of a window that is invalidated", section, 0x1100,
                        known -> write(known.invalidated().stag(), known.invalidated().offset(), PAYLOAD)),
                of("STag", "of a window that belongs to another queue pair", section, 0x1102,
                        known -> write(known.othersOwn().stag(), known.othersOwn().offset(), PAYLOAD)),
                of("STag", "of the window before it was bound", section, 0x1100,
                        known -> write(known.domainsOwn().stag() - 1, known.domainsOwn().offset(), PAYLOAD)),
                of("STag", "of a region for Reads", section, 0x1100,
                        known -> write(known.readOnly().stag(), known.readOnly().offset(), PAYLOAD)),
                of("STag", "wrong in an empty Write", "RFC 5041, 5.2", ACCEPTED, known -> write(0xDEAD, -1, 0)),
                of("STag", "another one in the second segment", section, 0x1100,
                        known -> join(tagged(MORE_TAGGED, WRITE, known.domainsOwn().stag(), known.domainsOwn().offset(), 0),
                                write(known.target().stag() ^ 0x40, known.target().offset(), PAYLOAD))));
    }

    private static List<Lie> taggedOffset() {
        String section = "RFC 5041, 7.2 and 8.3";
        List<Lie> all = new ArrayList<>();
        for (long below : new long[] { 1, PAYLOAD - 1, PAYLOAD, LENGTH, 1L << 32 }) {
            all.add(of("Tagged Offset", below + " before the region", section, 0x1101,
                    known -> write(known.target().stag(), known.target().offset() - below, PAYLOAD)));
        }
        for (long above : new long[] { LENGTH - PAYLOAD + 1, LENGTH - 1, LENGTH, 1L << 32, 1L << 63 }) {
            all.add(of("Tagged Offset", above + " behind the start of the region", section, 0x1101,
                    known -> write(known.target().stag(), known.target().offset() + above, PAYLOAD)));
        }
        all.add(of("Tagged Offset", "the last byte is that before 2^64", section, 0x1101,
                known -> write(known.target().stag(), -PAYLOAD, PAYLOAD)));
        all.add(of("Tagged Offset", "the first byte is that before 2^64", section, 0x1103,
                known -> write(known.target().stag(), -1, PAYLOAD)));
        all.add(of("Tagged Offset", "wraps into the region", section, 0x1103, known -> write(known.target().stag(), -1, 60_000)));
        all.add(of("Tagged Offset", "before the window, within its region", section, 0x1101,
                known -> write(known.domainsOwn().stag(), known.domainsOwn().offset() - 1, PAYLOAD)));
        all.add(of("Tagged Offset", "over the end of the window, within its region", section, 0x1101,
                known -> write(known.domainsOwn().stag(), known.domainsOwn().offset() + LENGTH - PAYLOAD + 1, PAYLOAD)));
        all.add(of("Tagged Offset", "the whole region and one byte before it", section, 0x1101,
                known -> write(known.target().stag(), known.target().offset() - 1, LENGTH + 1)));
        return all;
    }

    private static List<Lie> queueNumber() {
        String section = "RFC 5041, 7.2";
        List<Lie> all = new ArrayList<>();
        for (int queue : new int[] { 5, 255, 256, 0x1000_0000, Integer.MIN_VALUE, 0x0100_0000 }) {
            all.add(of("Queue Number", Integer.toUnsignedString(queue), section, 0x1201,
                    known -> untagged(LAST_UNTAGGED, SEND, 0, queue, 1, 0, payload(PAYLOAD))));
        }
        return all;
    }

    private static List<Lie> messageSequence() {
        String section = "RFC 5041, 7.2 and 8.3.1";
        List<Lie> all = new ArrayList<>();
        for (int sequence : new int[] { 0, 3, 0x100, Integer.MIN_VALUE, -1 }) {
            all.add(of("MSN", "of a Send, " + Integer.toUnsignedString(sequence), section, 0x1203,
                    known -> untagged(LAST_UNTAGGED, SEND, 0, 0, sequence, 0, payload(PAYLOAD))));
            all.add(of("MSN", "of a Read Request, " + Integer.toUnsignedString(sequence), section, 0x1203, known -> untagged(LAST_UNTAGGED,
                    READ_REQUEST, 0, 1, sequence, 0, Forge.readRequest(1, 2, PAYLOAD, known.target().stag(), known.target().offset()))));
            all.add(of("MSN", "of a Terminate, " + Integer.toUnsignedString(sequence), section, 0x1203,
                    known -> untagged(LAST_UNTAGGED, TERMINATE, 0, 2, sequence, 0, new byte[4])));
        }
        all.add(of("MSN", "of a Read Request, again", section, 0x1203, known -> {
            byte[] read = Lie.read(1, 2, PAYLOAD, known.target().stag(), known.target().offset());
            return join(read, read);
        }));
        all.add(of("MSN", "changes within a Send", section, 0x1203,
                known -> join(untagged(MORE_UNTAGGED, SEND, 0, 0, 1, 0, payload(PAYLOAD)),
                        untagged(LAST_UNTAGGED, SEND, 0, 0, 0, PAYLOAD, payload(1)))));
        return all;
    }

    private static List<Lie> messageOffset() {
        String section = "RFC 5041, 5.3 and 7.2";
        List<Lie> all = new ArrayList<>();
        for (int offset : new int[] { 1, Lie.Known.RECEIVE, Integer.MIN_VALUE, -1, -PAYLOAD }) {
            all.add(of("Message Offset", "begins at " + Integer.toUnsignedString(offset), section, 0x1204,
                    known -> untagged(LAST_UNTAGGED, SEND, 0, 0, 1, offset, payload(PAYLOAD))));
            all.add(of("Message Offset", "of a Read Request, " + Integer.toUnsignedString(offset), section, 0x1204,
                    known -> untagged(LAST_UNTAGGED, READ_REQUEST, 0, 1, 1, offset,
                            Forge.readRequest(1, 2, PAYLOAD, known.target().stag(), known.target().offset()))));
            all.add(of("Message Offset", "of a Terminate, " + Integer.toUnsignedString(offset), section, 0x1204,
                    known -> untagged(LAST_UNTAGGED, TERMINATE, 0, 2, 1, offset, new byte[4])));
        }
        for (int second : new int[] { 0, PAYLOAD - 1, PAYLOAD + 1, -1 }) {
            all.add(of("Message Offset", "goes on at " + Integer.toUnsignedString(second) + " after " + PAYLOAD + " bytes", section, 0x1204,
                    known -> join(untagged(MORE_UNTAGGED, SEND, 0, 0, 1, 0, payload(PAYLOAD)),
                            untagged(LAST_UNTAGGED, SEND, 0, 0, 1, second, payload(8)))));
        }
        all.add(of("Message Offset", "the second segment goes over the receive", section, 0x1205,
                known -> join(untagged(MORE_UNTAGGED, SEND, 0, 0, 1, 0, payload(PAYLOAD)),
                        untagged(LAST_UNTAGGED, SEND, 0, 0, 1, PAYLOAD, payload(Lie.Known.RECEIVE - PAYLOAD + 1)))));
        all.add(of("Message Offset", "an empty segment behind a full receive", section, ACCEPTED,
                known -> join(untagged(MORE_UNTAGGED, SEND, 0, 0, 1, 0, payload(Lie.Known.RECEIVE)),
                        untagged(LAST_UNTAGGED, SEND, 0, 0, 1, Lie.Known.RECEIVE, payload(0)))));
        return all;
    }

    /** Fields of the answer to a Read of this side: each must be that of the request (RFC 5040, 4.5 and 7.2). */
    private static List<Lie> readResponse() {
        List<Lie> all = new ArrayList<>();
        all.add(answer("STag", "zero in an answer", 0x1100, known -> answer(LAST_TAGGED, 0, known.sink().offset(), ASKED)));
        all.add(answer("STag", "of another region in an answer", 0x1100,
                known -> answer(LAST_TAGGED, known.target().stag(), known.target().offset(), ASKED)));
        all.add(answer("STag", "another key in an answer", 0x1100,
                known -> answer(LAST_TAGGED, known.sink().stag() ^ 1, known.sink().offset(), ASKED)));
        for (long wrong : new long[] { -1, 1, -ASKED, ASKED, LENGTH, 1L << 63 }) {
            all.add(answer("Tagged Offset", wrong + " too far in an answer", 0x1101,
                    known -> answer(LAST_TAGGED, known.sink().stag(), known.sink().offset() + wrong, ASKED)));
        }
        all.add(answer("L", "clear at the end of an answer", 0x1101,
                known -> answer(MORE_TAGGED, known.sink().stag(), known.sink().offset(), ASKED)));
        all.add(answer("L", "set too early in an answer", 0x1101,
                known -> answer(LAST_TAGGED, known.sink().stag(), known.sink().offset(), ASKED - 1)));
        all.add(answer("L", "set in an empty answer to a Read of " + ASKED, 0x1101,
                known -> answer(LAST_TAGGED, known.sink().stag(), known.sink().offset(), 0)));
        all.add(answer("ULPDU Length", "one byte more than asked for", 0x1101,
                known -> answer(LAST_TAGGED, known.sink().stag(), known.sink().offset(), ASKED + 1)));
        all.add(answer("ULPDU Length", "65,535 of an answer", 0x1101,
                known -> answer(LAST_TAGGED, known.sink().stag(), known.sink().offset(), 0xFFFF - 14)));
        all.add(answer("ULPDU Length", "the second segment goes over the end", 0x1101,
                known -> join(answer(MORE_TAGGED, known.sink().stag(), known.sink().offset(), ASKED / 2),
                        answer(LAST_TAGGED, known.sink().stag(), known.sink().offset() + ASKED / 2, ASKED / 2 + 1))));
        all.add(answer("Tagged Offset", "the second segment of an answer repeats the first", 0x1101,
                known -> join(answer(MORE_TAGGED, known.sink().stag(), known.sink().offset(), ASKED / 2),
                        answer(LAST_TAGGED, known.sink().stag(), known.sink().offset(), ASKED / 2))));
        all.add(answer("opcode", "two answers to one Read", 0x0206, known -> {
            byte[] answer = answer(LAST_TAGGED, known.sink().stag(), known.sink().offset(), ASKED);
            return join(answer, answer);
        }));
        all.add(answer("opcode", "a Write to the sink of a Read", 0x1100,
                known -> write(known.sink().stag(), known.sink().offset(), ASKED)));
        return all;
    }

    private static byte[] answer(int control, int stag, long offset, int length) {
        return tagged(control, READ_RESPONSE, stag, offset, length);
    }

    private static Lie answer(String field, String says, int code, Lie.Bytes bytes) {
        return new Lie(field, says, "RFC 5040, 4.5 and 7.2", Lie.Situation.READ, code, bytes);
    }
}
