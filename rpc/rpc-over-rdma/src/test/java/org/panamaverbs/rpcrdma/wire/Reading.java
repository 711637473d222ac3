package org.panamaverbs.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.panamaverbs.rpcrdma.wire.HeaderReader.Outcome;

/** A message that was read, as text to compare; and the same header written again. */
public final class Reading {
    private static final String[] PROCEDURES = { "MSG", "NOMSG", "MSGP", "DONE", "ERROR", "OPTIONAL", "CONNPROP", "REQPROP", "RESPROP",
            "UPDPROP" };
    private static final int AROUND = 13;
    private final HeaderReader reader;
    private final Outcome outcome;

    private Reading(HeaderReader reader, Outcome outcome) {
        this.reader = reader;
        this.outcome = outcome;
    }

    /** Reads with a reader that has read nothing. */
    public static Reading of(byte[] message) {
        return of(new HeaderReader(), message);
    }

    /**
     * Reads a message three times: from memory that ends with it, so that one byte more is an exception, and with two kinds of bytes around
     * it, which must not make a difference.
     */
    static Reading of(HeaderReader reader, byte[] message) {
        String[] around = new String[2];
        for (int i = 0; i < around.length; i++) {
            byte[] more = new byte[message.length + 2 * AROUND];
            Arrays.fill(more, (byte) -i);
            System.arraycopy(message, 0, more, AROUND, message.length);
            Outcome outcome = reader.parse(MemorySegment.ofArray(more), AROUND, message.length, 1, 2);
            assertTrue(reader.payloadOffset() >= AROUND && reader.payloadLength() >= 0, () -> "payload at " + reader.payloadOffset());
            around[i] = new Reading(reader, outcome).found();
        }
        Outcome outcome = reader.parse(MemorySegment.ofArray(message), 0, message.length, 1, 2);
        Reading reading = new Reading(reader, outcome);
        assertEquals(reading.found(), around[0], "with zeros around the message");
        assertEquals(reading.found(), around[1], "with ones around the message");
        return reading;
    }

    /**
     * Reads any bytes, with a version in the place of the version. A sound header is written again to the same bytes: so no field is read
     * from a wrong place, and none is lost.
     */
    static void checkAnyMessage(int version, byte[] bytes) {
        byte[] message = bytes.clone();
        if (message.length >= Wire.FIXED_LENGTH) {
            MemorySegment.ofArray(message).set(Wire.INT, Integer.BYTES, version);
        }
        of(message).checkWritten(message);
    }

    /** Property messages are left out: only data of the length of their type are written, and a peer may send more. */
    void checkWritten(byte[] message) {
        if (outcome == Outcome.SOUND && reader.procedure() <= Wire.ERROR) {
            byte[] header = Arrays.copyOf(message, Math.toIntExact(reader.payloadOffset()));
            written().ifPresent(written -> assertArrayEquals(header, written, () -> "written differently: " + found()));
        }
    }

    Outcome outcome() {
        return outcome;
    }

    public HeaderReader reader() {
        return reader;
    }

    public String found() {
        if (outcome == Outcome.DISCARD) {
            return "DISCARD";
        }
        int procedure = reader.procedure();
        StringJoiner text = new StringJoiner(" ");
        text.add(outcome.toString()).add("%08x".formatted(reader.xid())).add("v" + reader.version());
        text.add("credits=" + Integer.toUnsignedString(reader.credits()));
        text.add(procedure >= 0 && procedure < PROCEDURES.length ? PROCEDURES[procedure] : Integer.toString(procedure));
        if (outcome == Outcome.SOUND) {
            switch (procedure) {
                case Wire.MSG, Wire.NOMSG -> chunks(text);
                case Wire.ERROR -> error(text);
                case Wire.OPTIONAL -> text.add(direction(reader.optionDirection())).add("type=" + reader.optionType());
                case Wire.MSGP, Wire.DONE -> text.add("");
                default -> properties(text);
            }
        }
        return text.toString().strip();
    }

    private static String direction(int direction) {
        return direction == Wire.CALL ? "CALL" : direction == Wire.REPLY ? "REPLY" : "direction " + direction;
    }

    private void chunks(StringJoiner text) {
        ChunkLists chunks = reader.chunks();
        if (reader.version() == Wire.VERSION_2) {
            text.add(direction(chunks.direction()));
            if (chunks.invalidateHandle() != 0) {
                text.add("invalidate=%08x".formatted(chunks.invalidateHandle()));
            }
        }
        if (chunks.reads().count() > 0) {
            text.add("reads=" + segments(chunks.reads(), true));
        }
        if (chunks.writeChunks() > 0) {
            text.add(IntStream.range(0, chunks.writeChunks()).mapToObj(i -> segments(chunks.write(i), false))
                    .collect(Collectors.joining(" ", "writes=[", "]")));
        }
        if (chunks.hasReply()) {
            text.add("reply=" + segments(chunks.reply(), false));
        }
    }

    private static String segments(SegmentList list, boolean positions) {
        return IntStream.range(0, list.count())
                .mapToObj(i -> (positions ? Integer.toUnsignedString(list.position(i)) + ":" : "")
                        + "%08x:%d:%016x".formatted(list.handle(i), list.length(i), list.offset(i)))
                .collect(Collectors.joining(" ", "[", "]"));
    }

    private void error(StringJoiner text) {
        text.add(reader.error().name());
        if (reader.error().words() > 0) {
            text.add(Long.toString(reader.errorFirst()));
        }
        if (reader.error().words() > 1) {
            text.add(Long.toString(reader.errorSecond()));
        }
    }

    private void properties(StringJoiner text) {
        PropertyMessage properties = reader.properties();
        for (int i = 0; i < properties.count(); i++) {
            boolean known = PropertyMessage.isKnown(properties.id(i));
            text.add(properties.id(i) + "=" + (known ? properties.value(i) : "?") + (known && properties.isDefault(i) ? "(default)" : ""));
        }
        subset(text, "first", IntStream.range(0, 1000).filter(properties::isInFirst).toArray());
        subset(text, "second", IntStream.range(0, 1000).filter(properties::isInSecond).toArray());
    }

    private static void subset(StringJoiner text, String name, int[] bits) {
        if (bits.length > 0) {
            text.add(name + "=" + Arrays.toString(bits).replace(" ", ""));
        }
    }

    /** The header as a writer makes it of the values that were read; empty if there is no writer for it. */
    Optional<byte[]> written() {
        if (outcome != Outcome.SOUND) {
            return Optional.empty();
        }
        MemorySegment into = MemorySegment.ofArray(new byte[1 << 16]);
        int procedure = reader.procedure();
        long end = switch (procedure) {
            case Wire.MSG, Wire.NOMSG -> {
                long length = HeaderWriter.message(into, 1, reader.xid(), reader.version(), reader.credits(), procedure, reader.chunks());
                assertEquals(1 + HeaderWriter.messageLength(reader.version(), reader.chunks()), length);
                yield length;
            }
            case Wire.ERROR -> HeaderWriter.error(into, 1, reader.xid(), reader.version(), reader.credits(), reader.error(),
                    (int) reader.errorFirst(), (int) reader.errorSecond());
            case Wire.CONNPROP, Wire.REQPROP, Wire.RESPROP, Wire.UPDPROP -> {
                PropertyMessage properties = reader.properties();
                boolean known = IntStream.range(0, properties.count()).map(properties::id).allMatch(PropertyMessage::isKnown);
                yield known ? properties.encode(into, 1, reader.xid(), reader.credits(), procedure) : 0;
            }
            default -> 0;
        };
        return end == 0 ? Optional.empty() : Optional.of(into.asSlice(1, end - 1).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
    }
}
