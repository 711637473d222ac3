package org.panamaverbs.ddp.sctp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A target: the messages of an SCTP stream, for both sides of a session. Whatever comes, there is an outcome and no exception. Messages
 * that are legal in their order are delivered alike in any other order. The bytes are
 *
 * <pre>
 * 0 side, commands 8 | shuffle 8 | then messages: kind 8, fields of that kind
 * </pre>
 */
public final class SctpMessagesFuzz {
    private static final int ACTIVE = 1;
    private static final int COMMANDS = 1 << 1;
    private static final int LATE_BIND = 1 << 2;
    private static final int WINDOW = 64;
    private static final int MOST_MESSAGES = 48;
    private static final int ACCEPTED = 2;

    private record Message(byte[] bytes, int protocol, boolean unordered) {
    }

    /** The result of a list of messages; {@code error} is that of the last one that was taken. */
    private record Outcome(Session.State state, int error, int taken, List<String> delivered, boolean boundary) {
    }

    private SctpMessagesFuzz() {
    }

    /** Runs one input; throws if the reader or the session breaks a rule. */
    public static void fuzzerTestOneInput(byte[] input) {
        FuzzInput in = new FuzzInput(input);
        int mode = in.octet();
        int shuffle = in.octet();
        List<Message> messages = new ArrayList<>();
        List<Integer> commands = new ArrayList<>();
        int[] author = { 1, 1, 0, 0, 0 };
        while (in.hasMore() && messages.size() < MOST_MESSAGES) {
            messages.add(message(in, messages.size() + 1, author));
            commands.add((mode & COMMANDS) == 0 ? 0 : in.octet());
        }
        Outcome inOrder = play(mode, messages, commands);
        if ((mode & COMMANDS) != 0 || author[4] != 0 || inOrder.error() == MessageReader.SESSION_FAILED) {
            return;
        }
        // An error counts when its turn comes, and what is behind it does not count.
        Outcome shuffled = play(mode, shuffled(messages.subList(0, inOrder.taken()), shuffle), commands);
        if (!shuffled.equals(inOrder)) {
            throw new AssertionError(shuffled + ", and in order " + inOrder);
        }
    }

    private static List<Message> shuffled(List<Message> messages, int seed) {
        List<Message> all = new ArrayList<>(messages);
        int state = seed;
        for (int i = all.size() - 1; i > 0; i--) {
            state = state * 1_103_515_245 + 12_345;
            all.set(i, all.set((state >>> 16) % (i + 1), all.get(i)));
        }
        return all;
    }

    /**
     * A message that has the DDP-SSN of its turn, unless the fuzzer chooses another one; {@code author} has MSNs and MOs, and whether a
     * DDP-SSN was chosen.
     */
    private static Message message(FuzzInput in, int turn, int[] author) {
        int kind = in.octet();
        author[4] |= kind >= 224 ? 1 : 0;
        int ssn = kind >= 224 ? turn + (byte) in.octet() : turn;
        return switch (kind % 8) {
            case 0, 1, 2 -> {
                int bits = in.octet();
                yield segment(Chunks.tagged(ssn, (bits & 1) != 0, bits >> 4, (bits & 14) == 14 ? 0xBAD : Recorder.STAG,
                        (bits & 8) != 0 ? in.word() : in.octet(), pattern(in.octet())));
            }
            case 3, 4 -> {
                int bits = in.octet();
                int queue = bits >> 1 & 1;
                byte[] payload = pattern(in.octet());
                boolean last = (bits & 1) != 0;
                byte[] bytes = Chunks.untagged(ssn, last, 7, bits, queue, author[queue], author[2 + queue], payload);
                author[2 + queue] = last ? 0 : author[2 + queue] + payload.length;
                author[queue] += last ? 1 : 0;
                yield segment(bytes);
            }
            case 5 -> {
                int bits = in.octet();
                yield segment(
                        Chunks.untagged(ssn, (bits & 1) != 0, bits >> 4, bits, in.below(4), in.below(4), in.word(), pattern(in.octet())));
            }
            case 6 -> new Message(Chunks.control(ssn, in.below(6), new int[in.octet() * 3]), SctpControl.PROTOCOL, true);
            default -> {
                int protocol = 15 + in.below(4);
                byte[] bytes = in.take(in.octet());
                if (bytes.length >= 2 && kind < 224) {
                    bytes[0] = 0;
                    bytes[1] = (byte) ssn;
                }
                yield new Message(bytes, protocol, bytes.length != 77);
            }
        };
    }

    private static Message segment(byte[] bytes) {
        return new Message(bytes, SctpSegment.PROTOCOL, true);
    }

    private static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (length + i);
        }
        return bytes;
    }

    private static Outcome play(int mode, List<Message> messages, List<Integer> commands) {
        try (Arena arena = Arena.ofConfined()) {
            Recorder recorder = new Recorder(arena, 1 << 12, 1 << 10);
            recorder.localUlp = 5;
            Outbound out = new Outbound(arena);
            Session session = (mode & ACTIVE) != 0 ? new ActiveSession(out, new byte[4]) : new PassiveSession(out);
            MessageReader reader = new MessageReader(session, WINDOW, (long) WINDOW * Waiting.BLOCK, arena);
            DdpReceiver receiver = new DdpReceiver(recorder, Recorder.QUEUES);
            boolean late = (mode & LATE_BIND) != 0;
            int error = late ? TerminateCode.NONE : reader.bind(receiver);
            // The first message has the DDP-SSN 0, and begins the session.
            error = feed(reader, new Message(Chunks.control(0, (mode & ACTIVE) != 0 ? ACCEPTED : 1, 1, 2), SctpControl.PROTOCOL, true));
            answer(session, (mode & COMMANDS) != 0 ? mode >> 4 : 0);
            if (late && error == TerminateCode.NONE) {
                error = reader.bind(receiver);
            }
            int taken = 0;
            for (; taken < messages.size() && error == TerminateCode.NONE; taken++) {
                error = feed(reader, messages.get(taken));
                command(session, commands.get(taken));
                check(session, out);
            }
            if (error != TerminateCode.NONE && error != MessageReader.SESSION_FAILED) {
                session.fail("an error of DDP");
                check(session, out);
            }
            return new Outcome(session.state(), error, taken, recorder.delivered, reader.isAtBoundary());
        }
    }

    private static int feed(MessageReader reader, Message message) {
        MemorySegment memory = MemorySegment.ofArray(Arrays.copyOf(message.bytes(), message.bytes().length + 8));
        return reader.onMessage(memory, message.bytes().length, message.protocol(), message.unordered());
    }

    private static void answer(Session session, int choice) {
        if (session instanceof PassiveSession passive) {
            switch (choice % 8) {
                case 6 -> passive.reject(new byte[3]);
                case 7 -> passive.refuse();
                default -> passive.accept(new byte[3]);
            }
        }
        drain(session);
    }

    private static void command(Session session, int choice) {
        switch (choice) {
            case 1, 2 -> {
                if (session.state() == Session.State.ESTABLISHED) {
                    session.terminate();
                }
            }
            case 3, 4 -> session.onAcknowledged();
            case 5 -> session.onEndOfAssociation();
            case 6 -> session.fail("the program breaks it off");
            default -> {
                // Nothing.
            }
        }
        drain(session);
    }

    private static void drain(Session session) {
        for (int i = 0; !session.pollTransmit().isEmpty(); i++) {
            Chunks.sent(session);
            if (i > 4) {
                throw new AssertionError("control messages without end");
            }
        }
    }

    private static void check(Session session, Outbound out) {
        if (session.state() == Session.State.FAILED && session.failure().isEmpty() || out.length() > 4 + 512) {
            throw new AssertionError("a failure without words, or a long control message");
        }
        if (session.isOver() && session.isOpen()) {
            throw new AssertionError("segments may be sent in state " + session.state());
        }
    }
}
