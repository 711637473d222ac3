package org.panamaverbs.softiwarp.hostile;

import static org.panamaverbs.softiwarp.fixtures.Forge.ATOMIC_REQUEST;
import static org.panamaverbs.softiwarp.fixtures.Forge.ATOMIC_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.IMMEDIATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.IMMEDIATE_SOLICITED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_TAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_UNTAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.join;
import static org.panamaverbs.softiwarp.fixtures.Forge.payload;
import static org.panamaverbs.softiwarp.hostile.Lie.ACCEPTED;
import static org.panamaverbs.softiwarp.hostile.Lie.PAYLOAD;
import static org.panamaverbs.softiwarp.hostile.Lie.atomic;
import static org.panamaverbs.softiwarp.hostile.Lie.of;
import static org.panamaverbs.softiwarp.hostile.Lie.tagged;
import static org.panamaverbs.softiwarp.hostile.Lie.untagged;

import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.softiwarp.fixtures.Forge;

/** The fields of atomics and of Immediate Data (RFC 7306, 5 and 6). Their opcodes are in {@link LiesOfRdmap}. */
final class LiesOfExtensions {
    private static final int LENGTH = Lie.Known.LENGTH;
    private static final int COMPARE_SWAP = 2;

    private LiesOfExtensions() {
    }

    static List<Lie> all() {
        List<Lie> all = new ArrayList<>();
        all.addAll(requests());
        all.addAll(places());
        all.addAll(responses());
        all.addAll(immediate());
        return all;
    }

    private static List<Lie> requests() {
        String section = "RFC 7306, 5.2.1 and 8.2";
        List<Lie> all = new ArrayList<>();
        for (int operation = 1; operation < 16; operation++) {
            if (operation == COMPARE_SWAP) {
                continue;
            }
            int code = operation;
            all.add(of("AOpCode", Integer.toString(code), section, 0x0206,
                    known -> atomic(code, 9, known.target().stag(), known.target().offset())));
        }
        all.add(of("reserved bits", "set beside the AOpCode", section, ACCEPTED,
                known -> atomic(0xFFFF_FFF0, 9, known.target().stag(), known.target().offset())));
        for (int identifier : new int[] { 0, -1, Integer.MIN_VALUE }) {
            all.add(of("Request Identifier", Integer.toUnsignedString(identifier), section, ACCEPTED,
                    known -> atomic(0, identifier, known.target().stag(), known.target().offset())));
        }
        all.add(of("Request Identifier", "the same in two requests", section, ACCEPTED,
                known -> join(atomic(0, 5, known.target().stag(), known.target().offset()), untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, 2,
                        0, Forge.atomicRequest(0, 5, known.target().stag(), known.target().offset(), 1, 0, 0, -1)))));
        for (long mask : new long[] { 0, -1, Long.MIN_VALUE, 1 }) {
            all.add(of("masks", Long.toHexString(mask), section, ACCEPTED, known -> untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, 1, 0,
                    Forge.atomicRequest(COMPARE_SWAP, 1, known.target().stag(), known.target().offset(), -1, mask, mask, ~mask))));
        }
        for (int length : new int[] { 0, 1, 28, 51 }) {
            all.add(of("ULPDU Length", length + " bytes of an Atomic Request", section, 0x02FF,
                    known -> untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, 1, 0, payload(length))));
        }
        all.add(of("MSN", "of an Atomic Request, that of a Read Request before it", "RFC 5041, 7.2", 0x1203,
                known -> join(Lie.read(1, 2, 8, known.target().stag(), known.target().offset()),
                        atomic(0, 1, known.target().stag(), known.target().offset()))));
        all.add(of("opcode", "Read Request, then Atomic Request in one message", "RFC 5040, 7.2", 0x0206,
                known -> join(untagged(0x01, Forge.READ_REQUEST, 0, 1, 1, 0, payload(20)),
                        untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, 1, 20, payload(8)))));
        return all;
    }

    private static List<Lie> places() {
        String section = "RFC 7306, 5.2.1 and 8.2";
        List<Lie> all = new ArrayList<>();
        for (int operation : new int[] { 0, COMPARE_SWAP }) {
            String of = operation == 0 ? ", fetch-and-add" : ", compare-and-swap";
            all.add(of("Remote STag", "zero" + of, section, 0x0100, known -> atomic(operation, 1, 0, known.target().offset())));
            all.add(of("Remote STag", "of a region that is closed" + of, section, 0x0100,
                    known -> atomic(operation, 1, known.closed().stag(), known.closed().offset())));
            all.add(of("Remote STag", "of a window without the right" + of, section, 0x0102,
                    known -> atomic(operation, 1, known.domainsOwn().stag(), known.domainsOwn().offset())));
            all.add(of("Remote STag", "of a window of another queue pair" + of, section, 0x0103,
                    known -> atomic(operation, 1, known.othersOwn().stag(), known.othersOwn().offset())));
            all.add(of("Remote STag", "of another domain" + of, section, 0x0103,
                    known -> atomic(operation, 1, known.foreign().stag(), known.foreign().offset())));
            for (long wrong : new long[] { -8, -1, LENGTH - 7, LENGTH, 1L << 63 }) {
                all.add(of("Remote Tagged Offset", wrong + " from the start of the region" + of, section, 0x0101,
                        known -> atomic(operation, 1, known.target().stag(), known.target().offset() + wrong)));
            }
            for (long wraps : new long[] { -7, -1 }) {
                all.add(of("Remote Tagged Offset", wraps + of, section, 0x0104,
                        known -> atomic(operation, 1, known.target().stag(), wraps)));
            }
            for (long unaligned : new long[] { 1, 2, 4, 7 }) {
                // RFC 7306, 5.1: whether other addresses are taken is left to the implementation.
                all.add(of("Remote Tagged Offset", "no multiple of 8: " + unaligned + of, "RFC 7306, 5.1", 0x0207,
                        known -> atomic(operation, 1, known.target().stag(), known.target().offset() + unaligned)));
            }
        }
        return all;
    }

    private static List<Lie> responses() {
        String section = "RFC 7306, 5.2.2 and 8.2";
        List<Lie> all = new ArrayList<>();
        for (int wrong : new int[] { -1, 1, 1 << 31 }) {
            all.add(answer("Original Request Identifier", "off by " + wrong, section, 0x02FF,
                    known -> response(1, Forge.atomicResponse(known.identifier() + wrong, 5))));
        }
        for (int length : new int[] { 0, 11 }) {
            all.add(answer("ULPDU Length", length + " bytes of an Atomic Response", section, 0x02FF,
                    known -> response(1, payload(length))));
        }
        all.add(answer("ULPDU Length", "13 bytes of an Atomic Response", "RFC 5041, 7.2", 0x1205, known -> response(1, payload(13))));
        for (int sequence : new int[] { 0, 2, -1 }) {
            all.add(answer("MSN", "of an Atomic Response, " + Integer.toUnsignedString(sequence), "RFC 5041, 7.2", 0x1203,
                    known -> response(sequence, Forge.atomicResponse(known.identifier(), 5))));
        }
        all.add(answer("opcode", "two answers to one atomic", "RFC 5040, 7.2", 0x0206,
                known -> join(response(1, Forge.atomicResponse(known.identifier(), 5)),
                        response(2, Forge.atomicResponse(known.identifier(), 5)))));
        all.add(answer("opcode", "a Read Response to an atomic", "RFC 5040, 7.2", 0x0206,
                known -> tagged(LAST_TAGGED, Forge.READ_RESPONSE, known.sink().stag(), known.sink().offset(), 8)));
        all.add(new Lie("opcode", "an Atomic Response to a Read", "RFC 5040, 7.2", Lie.Situation.READ, 0x0206,
                known -> response(1, Forge.atomicResponse(1, 5))));
        return all;
    }

    private static List<Lie> immediate() {
        String section = "RFC 7306, 6.3";
        List<Lie> all = new ArrayList<>();
        for (int opcode : new int[] { IMMEDIATE, IMMEDIATE_SOLICITED }) {
            for (int length : new int[] { 0, 1, 4, 7 }) {
                all.add(of("ULPDU Length", length + " bytes of Immediate Data, opcode " + (opcode & 15), section, 0x02FF,
                        known -> untagged(LAST_UNTAGGED, opcode, 0, 0, 1, 0, payload(length))));
            }
            for (int length : new int[] { 9, 16, PAYLOAD }) {
                all.add(of("ULPDU Length", length + " bytes of Immediate Data, opcode " + (opcode & 15), section, 0x1205,
                        known -> untagged(LAST_UNTAGGED, opcode, 0, 0, 1, 0, payload(length))));
            }
            all.add(of("Message Offset", "8 of Immediate Data, opcode " + (opcode & 15), "RFC 5041, 7.2", 0x1204,
                    known -> untagged(LAST_UNTAGGED, opcode, 0, 0, 1, 8, payload(8))));
            all.add(of("MSN", "2 of Immediate Data, opcode " + (opcode & 15), "RFC 5041, 7.2", 0x1203,
                    known -> untagged(LAST_UNTAGGED, opcode, 0, 0, 2, 0, payload(8))));
            all.add(of("Invalidate STag", "in Immediate Data, opcode " + (opcode & 15), "RFC 7306, 6", ACCEPTED,
                    known -> untagged(LAST_UNTAGGED, opcode, known.target().stag(), 0, 1, 0, payload(8))));
            all.add(of("opcode", "Send, then Immediate Data in one message, opcode " + (opcode & 15), "RFC 5040, 7.2", 0x0206,
                    known -> join(untagged(0x01, Forge.SEND, 0, 0, 1, 0, payload(PAYLOAD)),
                            untagged(LAST_UNTAGGED, opcode, 0, 0, 1, PAYLOAD, payload(8)))));
            all.add(of("L", "clear between a Write and its Immediate Data, opcode " + (opcode & 15), "RFC 7306, 6", ACCEPTED,
                    known -> join(tagged(0x81, Forge.WRITE, known.target().stag(), known.target().offset(), PAYLOAD),
                            untagged(LAST_UNTAGGED, opcode, 0, 0, 1, 0, payload(8)))));
        }
        return all;
    }

    private static byte[] response(int sequence, byte[] payload) {
        return untagged(LAST_UNTAGGED, ATOMIC_RESPONSE, 0, 3, sequence, 0, payload);
    }

    private static Lie answer(String field, String says, String section, int code, Lie.Bytes bytes) {
        return new Lie(field, says, section, Lie.Situation.ATOMIC, code, bytes);
    }
}
