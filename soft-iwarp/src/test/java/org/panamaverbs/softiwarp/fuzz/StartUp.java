package org.panamaverbs.softiwarp.fuzz;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.Handshake;
import org.panamaverbs.softiwarp.mpa.InitiatorHandshake;
import org.panamaverbs.softiwarp.mpa.ResponderHandshake;
import org.panamaverbs.softiwarp.mpa.Terms;

/** The start of MPA by the book, in either role. */
final class StartUp {
    private StartUp() {
    }

    /**
     * Starts MPA.
     *
     * @param mode bit 1: no CRCs; bit 2: the peer wants Markers; bits 6 and 7: the ready-to-receive indications that the peer offers
     */
    static Agreement of(boolean initiator, int mode, int ird, int ord) {
        boolean crc = (mode & 2) == 0;
        boolean markers = (mode & 4) != 0;
        int ready = mode >> 6 & 3;
        Terms terms = new Terms(2, crc, ird, ord, new byte[0]);
        Handshake machine;
        int irdWord = 0x8000 | (ready == 1 ? 0x4000 : 0) | ird;
        int ordWord = (ready == 2 ? 0x4000 : 0) | (ready == 1 ? 0 : 0x8000) | ord;
        if (initiator) {
            machine = new InitiatorHandshake(terms);
            for (IoVector out = machine.pollTransmit(); out.size() > 0; out = machine.pollTransmit()) {
                machine.onSent(out.bytes());
            }
            // The last choice is the client-server model.
            feed(machine,
                    frame(false, crc, markers, ready == 3 ? ord : irdWord & ~0x3FFF | ord, ready == 3 ? ird : ordWord & ~0x3FFF | ird));
        } else {
            ResponderHandshake responder = new ResponderHandshake();
            machine = responder;
            feed(machine, frame(true, crc, markers, ready == 3 ? ird : irdWord, ready == 3 ? ord : ordWord));
            responder.accept(terms);
            for (IoVector out = machine.pollTransmit(); out.size() > 0; out = machine.pollTransmit()) {
                machine.onSent(out.bytes());
            }
        }
        return machine.agreement();
    }

    private static byte[] frame(boolean request, boolean crc, boolean markers, int ird, int ord) {
        return ByteBuffer.allocate(24).put((request ? "MPA ID Req Frame" : "MPA ID Rep Frame").getBytes(StandardCharsets.US_ASCII))
                .put((byte) ((crc ? 0x50 : 0x10) | (markers ? 0x80 : 0))).put((byte) 2).putShort((short) 4).putShort((short) ird)
                .putShort((short) ord).array();
    }

    private static void feed(Handshake machine, byte[] bytes) {
        IoVector into = new IoVector(1);
        int at = 0;
        for (machine.pollReceive(into); into.size() > 0 && at < bytes.length; machine.pollReceive(into)) {
            int count = (int) Math.min(into.bytes(), bytes.length - at);
            MemorySegment.copy(bytes, at, into.segment(0), ValueLayout.JAVA_BYTE, into.offset(0), count);
            machine.onReceived(count);
            at += count;
        }
    }
}
