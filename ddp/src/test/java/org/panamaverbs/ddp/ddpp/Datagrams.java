package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** A receiver of datagrams with its client, and messages to give to it. */
final class Datagrams {
    /** The messages do not begin where their memory begins. */
    private static final int AT = 3;

    final TestClient client = new TestClient();
    final Tally tally = new Tally();
    private final DatagramReceiver receiver;

    Datagrams() {
        this(SourceTable.USUAL);
    }

    Datagrams(int sources) {
        receiver = new DatagramReceiver(client, tally, new SourceTable(sources, 42));
    }

    /** A message of one source. */
    Drop receive(byte[] message) {
        return receive(message, 1);
    }

    Drop receive(byte[] message, int source) {
        MemorySegment memory = Arena.ofAuto().allocate(AT + message.length);
        MemorySegment.copy(message, 0, memory, ValueLayout.JAVA_BYTE, AT, message.length);
        MemorySegment address = Arena.ofAuto().allocate(28);
        address.set(ValueLayout.JAVA_INT, 24, source);
        return receiver.onMessage(memory, AT, message.length, address, 0, 28);
    }

    /** Gives all messages to the receiver; none may be dropped. */
    void receiveAll(List<byte[]> messages) {
        for (byte[] each : messages) {
            Drop drop = receive(each);
            if (drop != Drop.NONE) {
                throw new AssertionError(drop);
            }
        }
    }

    static byte[] decorated(boolean notifying, int identifier, int stag, long offset, byte... payload) {
        return message(Ddpp.DECORATED, notifying, identifier, stag, offset, payload);
    }

    static byte[] undecorated(byte... payload) {
        return message(Ddpp.UNDECORATED, false, 0, 0, 0, payload);
    }

    private static byte[] message(int kind, boolean notifying, int identifier, int stag, long offset, byte[] payload) {
        int size = Ddpp.size(kind);
        byte[] bytes = new byte[size + payload.length];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        Ddpp.putStart(memory, 0, kind);
        if (kind == Ddpp.DECORATED) {
            Ddpp.putDecoration(memory, 0, notifying, identifier, stag, offset);
        }
        System.arraycopy(payload, 0, bytes, size, payload.length);
        return bytes;
    }

    /** The same message with a sequence number. */
    static byte[] ordered(int sequence, byte[] message) {
        byte[] bytes = message.clone();
        MemorySegment memory = MemorySegment.ofArray(bytes);
        Ddpp.putOrderedStart(memory, 0, Ddpp.kind(memory, 0), sequence);
        return bytes;
    }

    /** Takes all parts of the message under way. */
    static List<byte[]> parts(DdppTransmitter transmitter, byte... payload) {
        List<byte[]> parts = new ArrayList<>();
        while (transmitter.isUnderWay()) {
            int from = (int) transmitter.position();
            byte[] header = new byte[Ddpp.DECORATED_SIZE];
            int length = transmitter.nextPart(MemorySegment.ofArray(header), 0);
            int size = transmitter.headerSize();
            byte[] part = new byte[size + length];
            System.arraycopy(header, 0, part, 0, size);
            System.arraycopy(payload, from, part, size, length);
            parts.add(part);
        }
        return parts;
    }

    static boolean isNotifying(byte[] message) {
        return Ddpp.isNotifying(MemorySegment.ofArray(message), 0);
    }

    static int identifier(byte[] message) {
        return Ddpp.identifier(MemorySegment.ofArray(message), 0);
    }

    static long offset(byte[] message) {
        return Ddpp.offset(MemorySegment.ofArray(message), 0);
    }

    /** Bytes 1, 2, 3 ... */
    static byte[] count(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + 1);
        }
        return bytes;
    }

    static byte[] content(MemorySegment memory) {
        return memory.toArray(ValueLayout.JAVA_BYTE);
    }
}
