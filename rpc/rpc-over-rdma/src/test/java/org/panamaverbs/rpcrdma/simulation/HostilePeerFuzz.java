package org.panamaverbs.rpcrdma.simulation;

import static org.panamaverbs.rpcrdma.simulation.Words.join;
import static org.panamaverbs.rpcrdma.simulation.Words.read;
import static org.panamaverbs.rpcrdma.simulation.Words.segment;
import static org.panamaverbs.rpcrdma.simulation.Words.words;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.panamaverbs.rpcrdma.simulation.ScriptedPeer.Outcome;
import org.panamaverbs.rpcrdma.simulation.SimulatedLink.Opened;

/**
 * A peer that sends any bytes: {@link #fuzzerTestOneInput} is a target for a fuzzer. The bytes are
 *
 * <pre>
 * 0 side and version 8 | then messages: template 8, count of changes 8, changes: offset 16, kind 8, value 8
 * </pre>
 */
public final class HostilePeerFuzz {
    private static final int GUARD = 64;
    private static final int RESULT = 200;
    private static final int MOST_BYTES_HELD = 8 * ((1 << 16) + 64) * 3;

    private HostilePeerFuzz() {
    }

    /** Runs one input; throws if the endpoint breaks a rule. */
    public static void fuzzerTestOneInput(byte[] input) {
        ByteBuffer in = ByteBuffer.wrap(input);
        int mode = next(in);
        int version = 1 + (mode >> 1 & 1);
        try (ScriptedPeer peer = (mode & 1) == 0 ? ScriptedPeer.ofServer().withResult(150) : ScriptedPeer.ofClient(version)) {
            MemorySegment whole = peer.wire.allocate(RESULT + 2 * GUARD);
            Outcome call = null;
            if ((mode & 1) != 0) {
                call = peer.call(Words.XID, 9000, 6000, whole.asSlice(GUARD, RESULT));
            } else {
                peer.send(Words.plainCall(1, version));
                call = peer.call(Words.XID, 0, 6000, whole.asSlice(GUARD, RESULT));
            }
            SimulatedLink.Exposure readable = peer.script.expose(peer.wire.allocate(512), false);
            SimulatedLink.Exposure writable = peer.script.expose(peer.wire.allocate(512), true);
            for (int messages = 0; in.hasRemaining() && messages < 32 && peer.isOpen(); messages++) {
                peer.send(changed(template(next(in), version, peer, readable, writable), in));
            }
            check(peer, call, whole, version);
        }
    }

    private static int next(ByteBuffer in) {
        return in.hasRemaining() ? Byte.toUnsignedInt(in.get()) : 0;
    }

    private static byte[] template(int choice, int version, ScriptedPeer peer, SimulatedLink.Exposure r, SimulatedLink.Exposure w) {
        int xid = 0x100 + choice;
        int[] call = Words.header(xid, version, 0, 0);
        int[] long0 = Words.header(xid, version, 1, 0);
        int[] payload = words(xid, 0, 7, 7);
        int[] none = words(0, 0, 0);
        int[] write = join(words(1, 1), segment(w.handle(), 200, w.offset()));
        Opened open = peer.link.exposures.values().stream().findFirst().orElse(null);
        int[] returned = open == null ? none : join(words(0, 1, 1), segment(open.handle(), 100, open.offset()), words(0, 0));
        int[] reply = Words.header(Words.XID, version, 0, 1);
        return Words.of(switch (choice % 14) {
            case 0 -> join(call, none, payload);
            case 1 -> join(call, read(12, r.handle(), 100, r.offset()), none, payload);
            case 2 -> join(call, read(8, r.handle(), 10, r.offset()), read(20, r.handle(), 50, r.offset()), none, payload);
            case 3 -> join(long0, read(0, r.handle(), 100, r.offset()), read(0, r.handle(), 100, r.offset() + 100), none);
            case 4 -> join(call, words(0), write, words(0, 0), payload);
            case 5 -> join(call, words(0), write, words(0), write, payload);
            case 6 -> join(reply, none, words(Words.XID, 1, 7));
            case 7 -> join(reply, returned, words(Words.XID, 1, 7));
            case 8 -> join(Words.header(Words.XID, version, 1, 1), words(0, 0), write);
            case 9 -> words(Words.XID, version, 8, 4, 1 + choice / 14, 1, 1);
            case 10 -> words(xid, 2, 8, 6, 2, 1, 4, 2048, 2, 4, 2, 1, 1);
            case 11 -> words(xid, 2, 8, 7, 2, 1, 4, 2048, 2, 4, 2);
            case 12 -> words(xid, 2, 8, 8, 1, 1, 0, 1, 1, 4, 2048);
            default -> words(xid, 2, 8, 5, 0, 77, 4, 0);
        });
    }

    private static byte[] changed(byte[] message, ByteBuffer in) {
        byte[] bytes = message;
        int changes = next(in) % 5;
        for (int i = 0; i < changes; i++) {
            int at = (next(in) << 8 | next(in)) % Math.max(1, bytes.length);
            int kind = next(in);
            int value = next(in);
            switch (kind % 5) {
                case 0 -> bytes = java.util.Arrays.copyOf(bytes, at);
                case 1 -> bytes = java.util.Arrays.copyOf(bytes, Math.min(ScriptedPeer.INLINE, bytes.length + 4 * value));
                case 2 -> setWord(bytes, at, value);
                case 3 -> setWord(bytes, at, value << 24 | value);
                default -> {
                    if (at < bytes.length) {
                        bytes[at] ^= (byte) (1 << value % 8);
                    }
                }
            }
        }
        return bytes;
    }

    private static void setWord(byte[] bytes, int at, int value) {
        int aligned = at & ~3;
        if (aligned + 4 <= bytes.length) {
            ByteBuffer.wrap(bytes).putInt(aligned, value);
        }
    }

    private static void check(ScriptedPeer peer, Outcome call, MemorySegment whole, int version) {
        byte[] bytes = whole.toArray(ValueLayout.JAVA_BYTE);
        for (byte each : bytes) {
            // The peer never wrote: not even the result may change, and nothing around it.
            if (each != (byte) 0xCC) {
                throw new AssertionError("memory changed that the peer did not write to");
            }
        }
        if (call.ends > 1 || peer.link.mostHeldBytes() > MOST_BYTES_HELD) {
            throw new AssertionError("the call ended " + call.ends + " times; " + peer.link.mostHeldBytes() + " bytes were held");
        }
        if (peer.isOpen()) {
            int before = peer.received.size();
            peer.send(Words.plainCall(0x7fff_0001, version));
            boolean answered = peer.received.subList(before, peer.received.size()).stream()
                    .anyMatch(message -> Words.decode(message)[0] == 0x7fff_0001);
            if (!answered) {
                throw new AssertionError("a sound call is not answered any more");
            }
        } else if (call.ends != 1) {
            throw new AssertionError("the connection ended, and the call did not");
        }
    }
}
