package org.panamaverbs.softiwarp.hostile;

import static org.panamaverbs.softiwarp.fixtures.Forge.ATOMIC_REQUEST;
import static org.panamaverbs.softiwarp.fixtures.Forge.ATOMIC_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.IMMEDIATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.IMMEDIATE_SOLICITED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_TAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_UNTAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.READ_REQUEST;
import static org.panamaverbs.softiwarp.fixtures.Forge.READ_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.SEND;
import static org.panamaverbs.softiwarp.fixtures.Forge.SEND_INVALIDATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.TERMINATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.WRITE;
import static org.panamaverbs.softiwarp.fixtures.Forge.join;
import static org.panamaverbs.softiwarp.fixtures.Forge.payload;
import static org.panamaverbs.softiwarp.hostile.Lie.PAYLOAD;
import static org.panamaverbs.softiwarp.hostile.Lie.atomic;
import static org.panamaverbs.softiwarp.hostile.Lie.of;
import static org.panamaverbs.softiwarp.hostile.Lie.read;
import static org.panamaverbs.softiwarp.hostile.Lie.send;
import static org.panamaverbs.softiwarp.hostile.Lie.untagged;
import static org.panamaverbs.softiwarp.hostile.Lie.write;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.panamaverbs.softiwarp.fixtures.Forge;

/**
 * One lie at least for each error that the RFCs name (RFC 5040, 7.2 and figure 9; RFC 5041, 7; RFC 5044, 8; RFC 7306, 8). All are answered
 * with a Terminate, and the last FPDU is the one that is wrong. {@link MalformedTest} tells them to a stream without a transport.
 */
final class LiesByError {
    private static final int MORE_UNTAGGED = 0x01;
    private static final int LENGTH = Lie.Known.LENGTH;
    private static final int RECEIVE = Lie.Known.RECEIVE;
    private static final String DDP = "RFC 5041, 7.2";
    private static final String RDMAP = "RFC 5040, 7.2";
    private static final String EXTENSIONS = "RFC 7306, 8.2";

    private LiesByError() {
    }

    static List<Lie> all() {
        List<Lie> all = new ArrayList<>();
        all.addAll(writes());
        all.addAll(versions());
        all.addAll(queues());
        all.addAll(opcodes());
        all.addAll(sends());
        all.addAll(lengths());
        all.addAll(reads());
        all.addAll(atomics());
        all.addAll(immediates());
        all.addAll(frames());
        return all;
    }

    private static List<Lie> writes() {
        return List.of(
                of("STag", "a key that no region has", DDP, 0x1100,
                        known -> write(known.target().stag() ^ 0x40, known.target().offset(), PAYLOAD)),
                of("STag", "of another domain", DDP, 0x1102, known -> write(known.foreign().stag(), known.foreign().offset(), PAYLOAD)),
                of("STag", "without the right to write", DDP, 0x1100,
                        known -> write(known.readOnly().stag(), known.readOnly().offset(), PAYLOAD)),
                of("Tagged Offset", "before the start", DDP, 0x1101,
                        known -> write(known.target().stag(), known.target().offset() - 1, PAYLOAD)),
                of("Tagged Offset", "over the end", DDP, 0x1101,
                        known -> write(known.target().stag(), known.target().offset() + LENGTH - PAYLOAD + 1, PAYLOAD)),
                of("Tagged Offset", "zero", DDP, 0x1101, known -> write(known.target().stag(), 0, PAYLOAD)),
                of("Tagged Offset", "wraps", DDP, 0x1103, known -> write(known.target().stag(), -PAYLOAD + 1, PAYLOAD)));
    }

    private static List<Lie> versions() {
        return List.of(of("DDP version", "0, tagged", DDP, 0x1104, known -> tagged(0xC0, WRITE, known)),
                of("DDP version", "2, tagged", DDP, 0x1104, known -> tagged(0xC2, WRITE, known)),
                of("DDP version", "0, untagged", DDP, 0x1206, known -> untagged(0x40, SEND, 0, 0, 1, 0, payload(PAYLOAD))),
                of("DDP version", "3, untagged", DDP, 0x1206, known -> untagged(0x43, SEND, 0, 0, 1, 0, payload(PAYLOAD))),
                of("RDMAP version", "0, tagged", RDMAP, 0x0205, known -> tagged(LAST_TAGGED, 0x00, known)),
                of("RDMAP version", "2, untagged", RDMAP, 0x0205, known -> send(0x83, 0, PAYLOAD)),
                of("RDMAP version", "changes within a message", RDMAP, 0x0205, known -> join(begin(), end(0x03, 0))));
    }

    private static List<Lie> queues() {
        return List.of(of("Queue Number", "4", DDP, 0x1201, known -> untagged(LAST_UNTAGGED, SEND, 0, 4, 1, 0, payload(PAYLOAD))),
                of("Queue Number", "all ones", DDP, 0x1201, known -> untagged(LAST_UNTAGGED, SEND, 0, -1, 1, 0, payload(PAYLOAD))),
                of("MSN", "2 before 1", DDP, 0x1203, known -> second(SEND, PAYLOAD)),
                of("MSN", "1 again", DDP, 0x1203, known -> join(send(SEND, 0, PAYLOAD), send(SEND, 0, PAYLOAD))),
                of("MSN", "of a Send without a receive", DDP, 0x1202, known -> join(send(SEND, 0, PAYLOAD), second(SEND, PAYLOAD))),
                of("Message Offset", "does not start at zero", DDP, 0x1204,
                        known -> untagged(LAST_UNTAGGED, SEND, 0, 0, 1, 4, payload(PAYLOAD))),
                of("Message Offset", "leaves a byte out", DDP, 0x1204,
                        known -> join(begin(), untagged(LAST_UNTAGGED, SEND, 0, 0, 1, PAYLOAD + 1, payload(1)))));
    }

    private static List<Lie> opcodes() {
        return List.of(of("opcode", "of a Send, tagged", RDMAP, 0x0206, known -> tagged(LAST_TAGGED, SEND, known)),
                of("opcode", "undefined, tagged", RDMAP, 0x0206, known -> tagged(LAST_TAGGED, 0x4F, known)),
                of("opcode", "of a Read Response that nobody asked for", RDMAP, 0x0206, known -> tagged(LAST_TAGGED, READ_RESPONSE, known)),
                of("opcode", "of a Write, untagged", RDMAP, 0x0206, known -> send(WRITE, 0, PAYLOAD)),
                of("opcode", "of a Send on the queue of Read Requests", RDMAP, 0x0206,
                        known -> untagged(LAST_UNTAGGED, SEND, 0, 1, 1, 0, payload(28))),
                of("opcode", "of a Read Request on the queue of Sends", RDMAP, 0x0206, known -> send(READ_REQUEST, 0, 28)),
                of("opcode", "undefined, untagged", RDMAP, 0x0206, known -> send(0x4C, 0, PAYLOAD)),
                of("opcode", "changes within a message", RDMAP, 0x0206,
                        known -> join(begin(), end(SEND_INVALIDATE, known.target().stag()))),
                of("opcode", "is undefined in the second segment", RDMAP, 0x0206, known -> join(begin(), end(0x4B, 0))));
    }

    private static List<Lie> sends() {
        return List.of(
                of("Invalidate STag", "a key that no region has", RDMAP, 0x0100,
                        known -> send(SEND_INVALIDATE, known.target().stag() ^ 0x40, PAYLOAD)),
                of("Invalidate STag", "of another domain", RDMAP, 0x0109, known -> send(SEND_INVALIDATE, known.foreign().stag(), PAYLOAD)),
                of("Invalidate STag", "without the right", RDMAP, 0x0109, known -> send(SEND_INVALIDATE, known.target().stag(), PAYLOAD)),
                of("Invalidate STag", "of a region for the peer of another stream", RDMAP, 0x0109,
                        known -> send(SEND_INVALIDATE, known.writeOnly().stag(), PAYLOAD)),
                of("Invalidate STag", "of a receive", RDMAP, 0x0109, known -> send(SEND_INVALIDATE, known.receive().stag(), PAYLOAD)));
    }

    private static List<Lie> lengths() {
        return List.of(of("ULPDU Length", "one byte more than the receive has", DDP, 0x1205, known -> send(SEND, 0, RECEIVE + 1)),
                of("ULPDU Length", "65,535 of a Send", DDP, 0x1205, known -> send(SEND, 0, 0xFFFF - 18)),
                of("ULPDU Length", "29 bytes of a Read Request", DDP, 0x1205,
                        known -> untagged(LAST_UNTAGGED, READ_REQUEST, 0, 1, 1, 0, payload(29))),
                of("ULPDU Length", "27 bytes of a Read Request", RDMAP, 0x02FF,
                        known -> untagged(LAST_UNTAGGED, READ_REQUEST, 0, 1, 1, 0, payload(27))),
                of("ULPDU Length", "1,000 bytes of a Terminate", DDP, 0x1205,
                        known -> untagged(LAST_UNTAGGED, TERMINATE, 0, 2, 1, 0, payload(1000))));
    }

    private static List<Lie> reads() {
        return List.of(
                of("Data Source STag", "a key that no region has", RDMAP, 0x0100,
                        known -> readOf(PAYLOAD, known.target().stag() ^ 0x40, known.target().offset())),
                of("Data Source STag", "of another domain", RDMAP, 0x0103,
                        known -> readOf(PAYLOAD, known.foreign().stag(), known.foreign().offset())),
                of("Data Source STag", "without the right to read", RDMAP, 0x0102,
                        known -> readOf(PAYLOAD, known.writeOnly().stag(), known.writeOnly().offset())),
                of("RDMA Read Message Size", "one byte more than the region has", RDMAP, 0x0101,
                        known -> readOf(LENGTH + 1, known.target().stag(), known.target().offset())),
                of("RDMA Read Message Size", "4 GiB", RDMAP, 0x0101, known -> readOf(-1, known.target().stag(), known.target().offset())),
                of("Data Source Tagged Offset", "wraps", RDMAP, 0x0104, known -> readOf(PAYLOAD, known.target().stag(), -1)));
    }

    private static List<Lie> atomics() {
        return List.of(
                of("Remote STag", "without the right to atomics", EXTENSIONS, 0x0102,
                        known -> atomic(0, 9, known.readOnly().stag(), known.readOnly().offset())),
                of("Remote STag", "a key that no region has", EXTENSIONS, 0x0100,
                        known -> atomic(0, 9, known.target().stag() ^ 0x40, known.target().offset())),
                of("Remote STag", "of another domain", EXTENSIONS, 0x0103,
                        known -> atomic(0, 9, known.foreign().stag(), known.foreign().offset())),
                of("AOpCode", "reserved", EXTENSIONS, 0x0206, known -> atomic(1, 9, known.target().stag(), known.target().offset())),
                of("AOpCode", "unassigned", EXTENSIONS, 0x0206, known -> atomic(15, 9, known.target().stag(), known.target().offset())),
                of("ULPDU Length", "53 bytes of an Atomic Request", DDP, 0x1205,
                        known -> untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, 1, 0, payload(53))),
                of("ULPDU Length", "51 bytes of an Atomic Request", EXTENSIONS, 0x02FF,
                        known -> untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, 1, 0, payload(51))),
                of("opcode", "of an Atomic Request on the queue of responses", EXTENSIONS, 0x0206,
                        known -> untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 3, 1, 0, payload(52))),
                of("opcode", "of an Atomic Response that nobody asked for", EXTENSIONS, 0x0206,
                        known -> untagged(LAST_UNTAGGED, ATOMIC_RESPONSE, 0, 3, 1, 0, Forge.atomicResponse(0, 5))),
                of("opcode", "of an Atomic Response, tagged", EXTENSIONS, 0x0206, known -> tagged(LAST_TAGGED, ATOMIC_RESPONSE, known)),
                of("opcode", "of a Send on the queue of Atomic Responses", EXTENSIONS, 0x0206,
                        known -> untagged(LAST_UNTAGGED, SEND, 0, 3, 1, 0, payload(12))));
    }

    private static List<Lie> immediates() {
        return List.of(of("ULPDU Length", "9 bytes of Immediate Data", EXTENSIONS, 0x1205, known -> send(IMMEDIATE, 0, 9)),
                of("ULPDU Length", "7 bytes of Immediate Data", EXTENSIONS, 0x02FF, known -> send(IMMEDIATE_SOLICITED, 0, 7)),
                of("MSN", "of Immediate Data without a receive", EXTENSIONS, 0x1202,
                        known -> join(send(IMMEDIATE, 0, 8), second(IMMEDIATE, 8))),
                of("opcode", "of Immediate Data on the queue of Read Requests", EXTENSIONS, 0x0206,
                        known -> untagged(LAST_UNTAGGED, IMMEDIATE, 0, 1, 1, 0, payload(8))));
    }

    private static List<Lie> frames() {
        String section = "RFC 5044, 8";
        return List.of(of("ULPDU Length", "0", section, 0x2002, known -> Forge.fpdu(new byte[0], true)),
                of("ULPDU Length", "13, tagged", section, 0x2002,
                        known -> Forge.fpdu(Arrays.copyOf(
                                Forge.tagged(LAST_TAGGED, WRITE, known.target().stag(), known.target().offset(), payload(0)), 13), true)),
                of("ULPDU Length", "17, untagged", section, 0x2002,
                        known -> Forge.fpdu(Arrays.copyOf(Forge.untagged(LAST_UNTAGGED, SEND, 0, 0, 1, 0, payload(0)), 17), true)));
    }

    private static byte[] tagged(int control, int ulp, Lie.Known known) {
        return Lie.tagged(control, ulp, known.target().stag(), known.target().offset(), PAYLOAD);
    }

    /** The first segment of a Send of two. */
    private static byte[] begin() {
        return untagged(MORE_UNTAGGED, SEND, 0, 0, 1, 0, payload(PAYLOAD));
    }

    private static byte[] end(int ulp, int word) {
        return untagged(LAST_UNTAGGED, ulp, word, 0, 1, PAYLOAD, payload(1));
    }

    /** The second message to the queue of Sends. */
    private static byte[] second(int ulp, int length) {
        return untagged(LAST_UNTAGGED, ulp, 0, 0, 2, 0, payload(length));
    }

    private static byte[] readOf(int length, int stag, long offset) {
        return read(0x77, 0x1000, length, stag, offset);
    }
}
