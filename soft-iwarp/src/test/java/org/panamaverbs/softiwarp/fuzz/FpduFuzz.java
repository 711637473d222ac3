package org.panamaverbs.softiwarp.fuzz;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.FpduReader;
import org.panamaverbs.softiwarp.mpa.ReceiveCounters;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A target: a stream of FPDUs, cut anywhere, held against {@link SegmentModel} and a deframer of a few lines. The bytes are
 *
 * <pre>
 * 0 CRC, verify-before-place 8 | pieces 8 | then FPDUs: kind 8, fields of that kind
 * </pre>
 */
public final class FpduFuzz {
    private static final int MOST_BYTES = 1 << 16;
    private static final int MOST_FPDUS = 64;
    /** How many bytes at the end of a Write are placed only after their CRC is checked. */
    private static final int PLACED_LAST = 64;

    private final boolean crc;
    private final boolean verify;
    private final SegmentModel model = new SegmentModel();
    private final ByteArrayOutputStream wire = new ByteArrayOutputStream();
    /** Follows what is written, so that the next segment can be one by the book. */
    private final SegmentModel author = new SegmentModel();

    private FpduFuzz(boolean crc, boolean verify) {
        this.crc = crc;
        this.verify = verify;
    }

    /** Runs one input; throws if the reader does other things than the model. */
    public static void fuzzerTestOneInput(byte[] input) {
        FuzzInput in = new FuzzInput(input);
        int mode = in.octet();
        int pieces = in.octet();
        FpduFuzz run = new FpduFuzz((mode & 1) == 0, (mode & 2) != 0);
        for (int i = 0; in.hasMore() && i < MOST_FPDUS && run.wire.size() < MOST_BYTES; i++) {
            run.write(in);
        }
        byte[] stream = run.wire.toByteArray();
        Expected expected = run.expect(stream);
        run.play(stream, expected, new Pieces(0));
        run.play(stream, expected, new Pieces(pieces));
    }

    /** How many bytes arrive at a time: all for 0, else by a rule that follows from one byte. */
    private static final class Pieces {
        private final int rule;
        private int state;

        Pieces(int rule) {
            this.rule = rule;
            this.state = rule;
        }

        int next() {
            if (rule == 0) {
                return Integer.MAX_VALUE;
            } else if (rule < 32) {
                return rule;
            }
            state = state * 1_103_515_245 + 12_345;
            return 1 + (state >>> 16) % (1 << rule % 14);
        }
    }

    // The peer's bytes.

    private void write(FuzzInput in) {
        int kind = in.octet();
        switch (kind % 12) {
            case 0, 1 -> segment(tagged(in, in.octet(), in.octet()), kind);
            case 2, 3 -> segment(tagged(in, in.octet(), in.word() % SegmentModel.BUFFER), kind);
            case 4 -> segment(untagged(in, in.octet()), kind);
            case 5 -> segment(untagged(in, in.word() % (SegmentModel.BUFFER + 2)), kind);
            case 6 -> segment(foreign(in), kind);
            case 7 -> segment(in.take(in.octet()), kind);
            case 8 -> wire.writeBytes(in.take(in.octet()));
            case 9 -> segment(continuation(in, in.octet()), kind);
            case 10 -> segment(continuation(in, in.word() % SegmentModel.BUFFER), kind);
            default -> lie(in);
        }
    }

    private static byte[] payload(FuzzInput in, byte[] segment, int from) {
        byte seed = (byte) in.octet();
        for (int i = from; i < segment.length; i++) {
            segment[i] = (byte) (seed + i);
        }
        return segment;
    }

    private byte[] tagged(FuzzInput in, int bits, int length) {
        int ulp = (bits & 2) != 0 ? SegmentModel.SINK_ULP : 0x40;
        int stag = (bits & 4) != 0 && (bits & 8) != 0 ? in.integer() : SegmentModel.STAG;
        return payload(in, ByteBuffer.allocate(14 + length).put((byte) ((bits & 1) != 0 ? 0xC1 : 0x81)).put((byte) ulp).putInt(stag)
                .putLong(SegmentModel.BASE + in.word() % (SegmentModel.REGION + 64)).array(), 14);
    }

    /** The next part of the Write under way. */
    private byte[] continuation(FuzzInput in, int length) {
        int last = in.below(3) == 0 ? 0xC1 : 0x81;
        return payload(in, ByteBuffer.allocate(14 + length).put((byte) last).put((byte) 0x40).putInt(SegmentModel.STAG)
                .putLong(author.continues ? author.nextOffset : SegmentModel.BASE).array(), 14);
    }

    private byte[] untagged(FuzzInput in, int length) {
        int bits = in.octet();
        int queue = (bits >> 1) % SegmentModel.QUEUES;
        return payload(in, ByteBuffer.allocate(18 + length).put((byte) ((bits & 1) != 0 ? 0x41 : 0x01)).put((byte) (0x43 + (bits >> 7)))
                .putInt(bits).putInt(queue).putInt(author.msn[queue]).putInt(author.offset[queue]).array(), 18);
    }

    /** An untagged segment with fields of the fuzzer's choice. */
    private byte[] foreign(FuzzInput in) {
        int bits = in.octet();
        int length = in.octet();
        return payload(in,
                ByteBuffer.allocate(18 + length).put((byte) in.octet()).put((byte) in.octet()).putInt(0)
                        .putInt((bits & 1) != 0 ? in.integer() : in.below(4)).putInt((bits & 2) != 0 ? in.integer() : in.below(4))
                        .putInt((bits & 4) != 0 ? in.integer() : in.word()).array(),
                18);
    }

    private void segment(byte[] ulpdu, int kind) {
        byte[] fpdu = fpdu(ulpdu);
        if (kind >= 240) {
            fpdu[fpdu.length - 1 - kind % 5] ^= (byte) 0x10;
        } else if (ulpdu.length >= 18 && author.check(ulpdu, ulpdu.length - SegmentModel.headerSize(ulpdu)) == TerminateCode.NONE) {
            author.accept(ulpdu);
        }
        wire.writeBytes(fpdu);
    }

    /** A segment whose length field says something else, with or without a CRC that fits. */
    private void lie(FuzzInput in) {
        int bits = in.octet();
        byte[] fpdu = fpdu(tagged(in, bits, in.octet()));
        ByteBuffer.wrap(fpdu).putShort(0, (short) ((bits & 0x80) != 0 ? in.word() : fpdu.length - 8 + in.octet()));
        if ((bits & 0x40) != 0) {
            seal(fpdu);
        }
        wire.writeBytes(fpdu);
    }

    private byte[] fpdu(byte[] ulpdu) {
        byte[] fpdu = new byte[size(ulpdu.length)];
        ByteBuffer.wrap(fpdu).putShort((short) ulpdu.length).put(ulpdu);
        seal(fpdu);
        return fpdu;
    }

    private void seal(byte[] fpdu) {
        ByteBuffer.wrap(fpdu).order(ByteOrder.LITTLE_ENDIAN).putInt(fpdu.length - 4, crc ? sum(fpdu, 0, fpdu.length - 4) : 0x5A5A);
    }

    private static int size(int length) {
        return (2 + length + 3) / 4 * 4 + 4;
    }

    private static int sum(byte[] bytes, int at, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, at, length);
        return (int) sum.getValue();
    }

    // The result that must come of them.

    /**
     * The end of a stream.
     *
     * @param error     the error that it comes to
     * @param isWhole   whether it ends between two FPDUs and two messages
     * @param from      the first byte of the tagged buffer that may have changed since the last verified segment
     * @param to        the byte behind the last such byte
     * @param unsettled whether bytes of the sink may have changed, too
     */
    private record Expected(int error, boolean isWhole, int from, int to, boolean unsettled) {
    }

    private Expected expect(byte[] stream) {
        int at = 0;
        while (stream.length - at >= 4) {
            int length = (stream[at] & 0xFF) << 8 | stream[at + 1] & 0xFF;
            byte[] begin = Arrays.copyOfRange(stream, at + 2, Math.min(stream.length, at + 2 + length));
            int header = SegmentModel.headerSize(stream[at + 2] < 0 ? new byte[] { -128 } : new byte[1]);
            if (length < header) {
                return refused(TerminateCode.MPA_CRC);
            } else if (begin.length < header) {
                break;
            }
            boolean whole = stream.length - at >= size(length);
            if (whole && crc && sum(stream, at, size(length) - 4) != ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN)
                    .getInt(at + size(length) - 4)) {
                return unsettled(begin, length - header, TerminateCode.MPA_CRC);
            }
            int error = model.check(begin, length - header);
            if (error != TerminateCode.NONE && (whole || !crc)) {
                if (error == TerminateCode.UNTAGGED_TOO_LONG) {
                    model.delivered.add("too long " + ByteBuffer.wrap(begin).getInt(6));
                }
                return refused(error);
            } else if (!whole) {
                return unsettled(begin, length - header, TerminateCode.NONE);
            }
            model.accept(begin);
            at += size(length);
        }
        boolean boundary = at == stream.length && !model.continues && Arrays.stream(model.offset).allMatch(each -> each == 0)
                && !model.isInMessage();
        return new Expected(TerminateCode.NONE, boundary, 0, 0, false);
    }

    private static Expected refused(int error) {
        return new Expected(error, false, 0, 0, false);
    }

    /** The stream ends in a segment that is not verified: of its payload only what needs no trust may be placed. */
    private Expected unsettled(byte[] segment, int length, int error) {
        boolean fits = model.check(segment, length) == TerminateCode.NONE;
        int place = SegmentModel.place(segment);
        boolean trusted = !crc || !verify && model.isContinuation(segment);
        if (place < 0 || !fits || !trusted || length == 0) {
            return new Expected(error, false, 0, 0, place < 0 && fits && !(crc && verify));
        }
        boolean last = (segment[0] & 0x40) != 0;
        return new Expected(error, false, place, place + Math.max(0, crc && last ? length - PLACED_LAST : length), false);
    }

    // The result that comes of them.

    private static final class Counters implements ReceiveCounters {
        private int fpdus;

        @Override
        public void onCall() {
            // Depends on how the bytes are cut.
        }

        @Override
        public void onPlaced(int bytes) {
            // So does this.
        }

        @Override
        public void onStaged(int bytes) {
            // And this.
        }

        @Override
        public void onFpdu() {
            fpdus++;
        }
    }

    private void play(byte[] stream, Expected expected, Pieces pieces) {
        try (Arena arena = Arena.ofConfined()) {
            ModelledLayer layer = new ModelledLayer(arena);
            Counters counters = new Counters();
            FpduReader reader = new FpduReader(new DdpReceiver(layer, SegmentModel.QUEUES), crc, verify, counters, arena);
            int error = feed(reader, stream, pieces);
            require(error == expected.error(), "error " + text(error) + ", and the model has " + text(expected.error()));
            require(layer.delivered.equals(model.delivered), "delivered " + layer.delivered + ", and the model has " + model.delivered);
            require(counters.fpdus == model.segments, counters.fpdus + " FPDUs, and the model has " + model.segments);
            layer.checkGuards();
            byte[] region = layer.region();
            require(Arrays.equals(region, 0, expected.from(), model.region, 0, expected.from())
                    && Arrays.equals(region, expected.to(), region.length, model.region, expected.to(), region.length),
                    "bytes were placed that may not be placed");
            require(expected.unsettled() || Arrays.equals(layer.sink(), model.sink), "the sink has other bytes");
            require(error != TerminateCode.NONE || reader.isAtBoundary() == expected.isWhole(), "the end of the stream");
            if (error != TerminateCode.NONE) {
                require(reader.headerSize() == 0
                        || reader.headerSize() == SegmentModel.headerSize(reader.header().toArray(ValueLayout.JAVA_BYTE)),
                        "the header for a Terminate");
            }
        }
    }

    private static int feed(FpduReader reader, byte[] stream, Pieces pieces) {
        IoVector target = new IoVector(4);
        int error = TerminateCode.NONE;
        for (int at = 0; at < stream.length && error == TerminateCode.NONE;) {
            reader.targets(target);
            require(target.bytes() > 0 && target.bytes() == reader.asked(), "asked for nothing");
            int count = (int) Math.min(Math.min(stream.length - at, pieces.next()), target.bytes());
            int done = 0;
            for (int i = 0; done < count; i++) {
                int chunk = (int) Math.min(count - done, target.length(i));
                MemorySegment.copy(stream, at + done, target.segment(i), ValueLayout.JAVA_BYTE, target.offset(i), chunk);
                done += chunk;
            }
            at += count;
            error = reader.onReceived(count);
        }
        return error;
    }

    private static String text(int error) {
        return error == TerminateCode.NONE ? "none" : Integer.toHexString(error);
    }

    private static void require(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
