package org.panamaverbs.softiwarp.hostile;

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
import static org.panamaverbs.softiwarp.hostile.Lie.ACCEPTED;
import static org.panamaverbs.softiwarp.hostile.Lie.CLOSED;
import static org.panamaverbs.softiwarp.hostile.Lie.PAYLOAD;
import static org.panamaverbs.softiwarp.hostile.Lie.of;
import static org.panamaverbs.softiwarp.hostile.Lie.read;
import static org.panamaverbs.softiwarp.hostile.Lie.send;
import static org.panamaverbs.softiwarp.hostile.Lie.tagged;
import static org.panamaverbs.softiwarp.hostile.Lie.terminate;
import static org.panamaverbs.softiwarp.hostile.Lie.untagged;

import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.softiwarp.fixtures.Forge;

/** The fields of RDMAP (RFC 5040, 4): its control field, the STag to invalidate, Read Requests, Terminates. */
final class LiesOfRdmap {
    private static final int LENGTH = Lie.Known.LENGTH;
    private static final int SEND_SOLICITED_INVALIDATE = 0x46;
    /** The queue of each opcode of RFC 5040 and RFC 7306; -1 for tagged buffers, -2 for none. */
    private static final int[] QUEUES = { -1, 1, -1, 0, 0, 0, 0, 2, 0, 0, 1, 3, -2, -2, -2, -2 };

    private LiesOfRdmap() {
    }

    static List<Lie> all() {
        List<Lie> all = new ArrayList<>();
        all.addAll(control());
        all.addAll(opcodes());
        all.addAll(invalidate());
        all.addAll(readRequest());
        all.addAll(terminates());
        return all;
    }

    private static List<Lie> control() {
        String section = "RFC 5040, 4.1 and 7.2";
        List<Lie> all = new ArrayList<>();
        for (int version = 0; version < 4; version++) {
            if (version == 1) {
                continue;
            }
            int bits = version << 6;
            all.add(of("RDMAP version", version + ", of a Write", section, 0x0205,
                    known -> tagged(LAST_TAGGED, bits, known.target().stag(), known.target().offset(), PAYLOAD)));
            all.add(of("RDMAP version", version + ", of an empty Write", section, 0x0205, known -> tagged(LAST_TAGGED, bits, 0, 0, 0)));
            for (int queue = 0; queue < 4; queue++) {
                int number = queue;
                int opcode = new int[] { 3, 1, 7, 11 }[queue];
                all.add(of("RDMAP version", version + ", on queue " + queue, section, 0x0205,
                        known -> untagged(LAST_UNTAGGED, bits | opcode, 0, number, 1, 0, payload(4))));
            }
        }
        all.add(of("reserved bits", "set, of a Write", "RFC 5040, 4.1", ACCEPTED,
                known -> tagged(LAST_TAGGED, WRITE | 0x30, known.target().stag(), known.target().offset(), PAYLOAD)));
        all.add(of("reserved bits", "set, of a Send", "RFC 5040, 4.1", ACCEPTED, known -> send(SEND | 0x30, 0, PAYLOAD)));
        return all;
    }

    /** Each opcode in each place where it must not be. */
    private static List<Lie> opcodes() {
        List<Lie> all = new ArrayList<>();
        for (int opcode = 0; opcode < QUEUES.length; opcode++) {
            int ulp = 0x40 | opcode;
            if (opcode != WRITE - 0x40) {
                all.add(of("opcode", opcode + ", tagged", "RFC 5040, 4.1 and 7.2", 0x0206,
                        known -> tagged(LAST_TAGGED, ulp, known.target().stag(), known.target().offset(), PAYLOAD)));
            }
            for (int queue = 0; queue < 4; queue++) {
                int number = queue;
                // Nobody has asked for an Atomic Response.
                if (QUEUES[opcode] != queue || queue == 3) {
                    all.add(of("opcode", opcode + ", on queue " + queue, "RFC 5040, 4.1 and 7.2", 0x0206,
                            known -> untagged(LAST_UNTAGGED, ulp, 0, number, 1, 0, payload(12))));
                }
            }
        }
        all.add(of("opcode", "of a Read Response, empty, that nobody asked for", "RFC 5040, 7.2", 0x0206,
                known -> tagged(LAST_TAGGED, READ_RESPONSE, 0, 0, 0)));
        all.add(of("opcode", "Send, then Send with Invalidate in one message", "RFC 5040, 7.2", 0x0206,
                known -> join(untagged(0x01, SEND, 0, 0, 1, 0, payload(PAYLOAD)),
                        untagged(LAST_UNTAGGED, SEND_SOLICITED_INVALIDATE, known.target().stag(), 0, 1, PAYLOAD, payload(1)))));
        return all;
    }

    private static List<Lie> invalidate() {
        String section = "RFC 5040, 5.3 and 7.2; RFC 5042, 6.4.5";
        List<Lie> all = new ArrayList<>();
        for (int opcode : new int[] { SEND_INVALIDATE, SEND_SOLICITED_INVALIDATE }) {
            all.add(of("Invalidate STag", "zero, opcode " + (opcode & 15), section, 0x0100, known -> send(opcode, 0, PAYLOAD)));
            all.add(of("Invalidate STag", "all ones, opcode " + (opcode & 15), section, 0x0100, known -> send(opcode, -1, PAYLOAD)));
            all.add(of("Invalidate STag", "of a region that is closed, opcode " + (opcode & 15), section, 0x0100,
                    known -> send(opcode, known.closed().stag(), PAYLOAD)));
            all.add(of("Invalidate STag", "of a window of the domain, opcode " + (opcode & 15), section, 0x0109,
                    known -> send(opcode, known.domainsOwn().stag(), PAYLOAD)));
            all.add(of("Invalidate STag", "of a window of another queue pair, opcode " + (opcode & 15), section, 0x0109,
                    known -> send(opcode, known.othersOwn().stag(), PAYLOAD)));
            all.add(of("Invalidate STag", "of a window that is invalid already, opcode " + (opcode & 15), section, 0x0100,
                    known -> send(opcode, known.invalidated().stag(), PAYLOAD)));
            all.add(of("Invalidate STag", "of a region that nobody may invalidate, opcode " + (opcode & 15), section, 0x0109,
                    known -> send(opcode, known.target().stag(), PAYLOAD)));
        }
        all.add(of("Invalidate STag", "in a plain Send", "RFC 5040, 4.1", ACCEPTED, known -> send(SEND, known.target().stag(), PAYLOAD)));
        return all;
    }

    private static List<Lie> readRequest() {
        String section = "RFC 5040, 4.4, 5.2.1 and 7.2";
        List<Lie> all = new ArrayList<>();
        all.add(of("Data Sink STag", "zero", section, ACCEPTED,
                known -> read(0, 0x1000, PAYLOAD, known.target().stag(), known.target().offset())));
        all.add(of("Data Sink STag", "that of our region", section, ACCEPTED, known -> read(known.writeOnly().stag(),
                known.writeOnly().offset(), PAYLOAD, known.target().stag(), known.target().offset())));
        all.add(of("Data Sink Tagged Offset", "wraps", section, ACCEPTED,
                known -> read(1, -1, PAYLOAD, known.target().stag(), known.target().offset())));
        for (int size : new int[] { LENGTH + 1, LENGTH * 2, Integer.MAX_VALUE, Integer.MIN_VALUE, -1 }) {
            all.add(of("RDMA Read Message Size", Integer.toUnsignedString(size), section, 0x0101,
                    known -> read(1, 2, size, known.target().stag(), known.target().offset())));
        }
        all.add(of("RDMA Read Message Size", "0 of nothing", "RFC 5040, 5.2.1", ACCEPTED, known -> read(0, 0, 0, 0, 0)));
        all.add(of("Data Source STag", "zero", section, 0x0100, known -> read(1, 2, PAYLOAD, 0, known.target().offset())));
        all.add(of("Data Source STag", "all ones", section, 0x0100, known -> read(1, 2, PAYLOAD, -1, known.target().offset())));
        all.add(of("Data Source STag", "of a region that is closed", section, 0x0100,
                known -> read(1, 2, PAYLOAD, known.closed().stag(), known.closed().offset())));
        all.add(of("Data Source STag", "of a window that is invalidated", section, 0x0100,
                known -> read(1, 2, PAYLOAD, known.invalidated().stag(), known.invalidated().offset())));
        all.add(of("Data Source STag", "of a window of another queue pair", section, 0x0103,
                known -> read(1, 2, PAYLOAD, known.othersOwn().stag(), known.othersOwn().offset())));
        all.add(of("Data Source STag", "of a region for Writes", section, 0x0102,
                known -> read(1, 2, PAYLOAD, known.writeOnly().stag(), known.writeOnly().offset())));
        for (long wrong : new long[] { -1, -LENGTH, LENGTH - PAYLOAD + 1, LENGTH, 1L << 32, 1L << 63 }) {
            all.add(of("Data Source Tagged Offset", wrong + " from the start of the region", section, 0x0101,
                    known -> read(1, 2, PAYLOAD, known.target().stag(), known.target().offset() + wrong)));
        }
        all.add(of("Data Source Tagged Offset", "the last byte is that before 2^64", section, 0x0101,
                known -> read(1, 2, PAYLOAD, known.target().stag(), -PAYLOAD)));
        all.add(of("Data Source Tagged Offset", "wraps into the region", section, 0x0104,
                known -> read(1, 2, -1, known.target().stag(), -1)));
        all.add(of("Data Source Tagged Offset", "over the end of a window, within its region", section, 0x0101,
                known -> read(1, 2, PAYLOAD, known.domainsOwn().stag(), known.domainsOwn().offset() + LENGTH - PAYLOAD + 1)));
        for (int length : new int[] { 0, 1, 27 }) {
            all.add(of("ULPDU Length", length + " bytes of a Read Request", section, 0x02FF,
                    known -> untagged(LAST_UNTAGGED, READ_REQUEST, 0, 1, 1, 0, payload(length))));
        }
        byte[] split = Forge.readRequest(1, 2, 0, 0, 0);
        all.add(of("ULPDU Length", "a Read Request in two segments, the second too long", section, 0x1205,
                known -> join(untagged(0x01, READ_REQUEST, 0, 1, 1, 0, split),
                        untagged(LAST_UNTAGGED, READ_REQUEST, 0, 1, 1, 28, payload(1)))));
        return all;
    }

    /** No Terminate is answered by another one (RFC 5040, 4.8 and 5.4), whatever is in it. */
    private static List<Lie> terminates() {
        String section = "RFC 5040, 4.8 and 5.4";
        List<Lie> all = new ArrayList<>();
        for (int layer = 0; layer < 16; layer++) {
            byte first = (byte) (layer << 4 | 0x0F);
            all.add(of("Layer", layer + ", with an undefined type", section, CLOSED,
                    known -> terminate(first, (byte) 0x77, (byte) 0, (byte) 0)));
        }
        all.add(of("Error Code", "255", section, CLOSED, known -> terminate((byte) 0x12, (byte) 0xFF, (byte) 0, (byte) 0)));
        for (int headers : new int[] { 0x80, 0xC0, 0xE0, 0x20, 0x40, 0x1F, 0xFF }) {
            all.add(of("M, D and R", "0x" + Integer.toHexString(headers) + ", and nothing follows", section, CLOSED,
                    known -> terminate((byte) 0x01, (byte) 0, (byte) headers, (byte) 0xFF)));
        }
        all.add(of("DDP Segment Length", "65,535", section, CLOSED, known -> terminate(
                join(new byte[] { 0x11, 1, (byte) 0xC0, 0, -1, -1 }, Forge.tagged(LAST_TAGGED, WRITE, 1, 2, payload(0))))));
        all.add(of("DDP Segment Length", "0", section, CLOSED, known -> terminate(
                join(new byte[] { 0x11, 1, (byte) 0xC0, 0, 0, 0 }, Forge.tagged(LAST_TAGGED, WRITE, 1, 2, payload(0))))));
        all.add(of("Terminated DDP Header", "of a Read that nobody posted", section, CLOSED,
                known -> terminate(join(new byte[] { 1, 1, (byte) 0xE0, 0, 0, 46 },
                        Forge.untagged(LAST_UNTAGGED, READ_REQUEST, 0, 1, 77, 0, Forge.readRequest(1, 2, 3, 4, 5))))));
        all.add(new Lie("Terminated DDP Header", "of another Read than the one under way", section, Lie.Situation.READ, CLOSED,
                known -> terminate(join(new byte[] { 1, 1, (byte) 0xE0, 0, 0, 46 },
                        Forge.untagged(LAST_UNTAGGED, READ_REQUEST, 0, 1, -1, 0, Forge.readRequest(1, 2, 3, 4, 5))))));
        all.add(new Lie("Terminated RDMA Header", "of an atomic, where a Read is under way", section, Lie.Situation.READ, CLOSED,
                known -> terminate(join(new byte[] { 1, 1, (byte) 0xE0, 0, 0, 70 },
                        Forge.untagged(LAST_UNTAGGED, Forge.ATOMIC_REQUEST, 0, 1, 1, 0, payload(28))))));
        for (int length : new int[] { 0, 1, 3, 5, 23, 51, 96 }) {
            all.add(of("ULPDU Length", length + " bytes of a Terminate", section, CLOSED, known -> terminate(payload(length))));
        }
        all.add(of("L", "clear in a Terminate that goes on with another one", section, 0x1203,
                known -> join(untagged(0x01, TERMINATE, 0, 2, 1, 0, new byte[4]),
                        untagged(LAST_UNTAGGED, TERMINATE, 0, 2, 2, 0, new byte[4]))));
        all.add(of("opcode", "a Write behind a Terminate", section, CLOSED,
                known -> join(terminate((byte) 0x12, (byte) 2, (byte) 0, (byte) 0),
                        Lie.write(known.target().stag(), known.target().offset(), PAYLOAD))));
        return all;
    }
}
