package org.panamaverbs.softiwarp.hostile;

import static org.panamaverbs.softiwarp.hostile.Lie.ACCEPTED;
import static org.panamaverbs.softiwarp.hostile.Lie.PAYLOAD;
import static org.panamaverbs.softiwarp.hostile.Lie.of;
import static org.panamaverbs.softiwarp.hostile.Lie.write;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.fixtures.Forge;

/** The fields of an FPDU, and Markers, which this side never asks for. For what an empty Write may carry, see {@link LiesOfDdp}. */
final class LiesOfMpa {
    private static final int CRC = 0x2002;
    private static final int LARGE = 0xFFFF - 14;

    private LiesOfMpa() {
    }

    static List<Lie> all() {
        List<Lie> all = new ArrayList<>();
        all.add(of("ULPDU Length", "1", "RFC 5044, 8", CRC, known -> Forge.fpdu(new byte[] { (byte) Forge.LAST_TAGGED }, true)));
        all.add(of("ULPDU Length", "2: the control fields alone", "RFC 5044, 8", CRC,
                known -> Forge.fpdu(new byte[] { (byte) Forge.LAST_TAGGED, Forge.WRITE }, true)));
        for (int wrong : new int[] { -4, -1, 1, 2, 3, 4 }) {
            // With one byte more, the padding is as long as before, or the CRC elsewhere: either way it does not fit.
            all.add(of("ULPDU Length", "off by " + wrong, "RFC 5044, 4.2 and 8", CRC, known -> {
                byte[] bytes = write(known.target().stag(), known.target().offset(), PAYLOAD);
                ByteBuffer.wrap(bytes).putShort(0, (short) (14 + PAYLOAD + wrong));
                return Forge.join(bytes, bytes);
            }));
        }
        all.add(of("ULPDU Length", "65,535: more than a sender may, no more than a receiver takes", "RFC 5044, 3", 0x1101,
                known -> write(known.target().stag(), known.target().offset(), LARGE)));
        all.add(of("PAD", "not zero, and covered by the CRC", "RFC 5044, 4.1", ACCEPTED, known -> {
            byte[] padded = write(known.target().stag(), known.target().offset(), PAYLOAD + 1);
            return resealed(padded, padded.length - 5);
        }));
        all.addAll(crcs());
        byte[] marker = new byte[4];
        for (int pointer : new int[] { 0, 4, 512, 0xFFFC, 3 }) {
            byte[] pointing = ByteBuffer.wrap(marker.clone()).putShort(2, (short) pointer).array();
            all.add(of("Marker", "sent though nobody asks for it, FPDUPTR " + pointer, "RFC 5044, 4.3 and 7.1.1", CRC,
                    known -> Forge.join(pointing, write(known.target().stag(), known.target().offset(), PAYLOAD))));
        }
        all.add(of("Marker", "within an FPDU", "RFC 5044, 4.3 and 7.1.1", CRC, known -> {
            byte[] bytes = write(known.target().stag(), known.target().offset(), 600);
            return Forge.join(Arrays.copyOf(bytes, 476), marker, Arrays.copyOfRange(bytes, 476, bytes.length));
        }));
        return all;
    }

    private static List<Lie> crcs() {
        List<Lie> all = new ArrayList<>();
        Lie.Bytes writes = known -> write(known.target().stag(), known.target().offset(), PAYLOAD);
        Lie.Bytes reads = known -> Lie.read(0x77, 0, PAYLOAD, known.target().stag(), known.target().offset());
        Lie.Bytes sends = known -> Lie.send(Forge.SEND_INVALIDATE, known.target().stag(), PAYLOAD);
        Lie.Bytes atomics = known -> Lie.atomic(0, 9, known.target().stag(), known.target().offset());
        Lie.Bytes terminates = known -> Lie.terminate((byte) 0x12, (byte) 2, (byte) 0, (byte) 0);
        Lie.Bytes offences = known -> write(0, 0, PAYLOAD);
        all.addAll(crcs("of a Write", writes));
        all.addAll(crcs("of a Read Request", reads));
        all.addAll(crcs("of a Send with Invalidate", sends));
        all.addAll(crcs("of an Atomic Request", atomics));
        all.addAll(crcs("of a Terminate", terminates));
        // The CRC is the cause, and not the header behind which it stands.
        all.addAll(crcs("of a Write to an STag that is none", offences));
        return all;
    }

    private static List<Lie> crcs(String what, Lie.Bytes sound) {
        String section = "RFC 5044, 4.4 and 8";
        return List.of(of("CRC", "one bit wrong, " + what, section, CRC, known -> {
            byte[] bytes = sound.of(known);
            bytes[bytes.length - 1] ^= 1;
            return bytes;
        }), of("CRC", "zero, " + what, section, CRC, known -> {
            byte[] bytes = sound.of(known);
            Arrays.fill(bytes, bytes.length - 4, bytes.length, (byte) 0);
            return bytes;
        }), of("CRC", "in the order of the network, " + what, section, CRC, known -> {
            byte[] bytes = sound.of(known);
            ByteBuffer all = ByteBuffer.wrap(bytes);
            all.putInt(bytes.length - 4, Integer.reverseBytes(all.getInt(bytes.length - 4)));
            return bytes;
        }));
    }

    /** Sets a byte of padding, and makes the CRC fit. */
    private static byte[] resealed(byte[] frame, int at) {
        frame[at] = 0x33;
        CRC32C sum = new CRC32C();
        sum.update(frame, 0, frame.length - 4);
        ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(frame.length - 4, (int) sum.getValue());
        return frame;
    }
}
