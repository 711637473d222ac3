package org.panamaverbs.sockets.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The protocol of one stream, without I/O, clock or thread: credits, targets, and the ends of both directions.
 *
 * <p><b>Sending.</b> A message with data says how many bytes were written to the current target of the peer; it costs one credit, and never
 * spans two targets. The peer writes new targets into the table of this side. A message with credits follows each of these Writes: only
 * then this side looks for a target.
 *
 * <p><b>Receiving.</b> This side grants memory: at most {@value #GRANTS} ranges at a time, which the peer fills one after the other. A range
 * that is full and consumed gives way to a new one.
 */
public final class StreamCore {
    /** How many ranges of memory the peer may know at a time; as many entries the table of this side has. */
    public static final int GRANTS = 2;
    /** How long the table of targets is, in bytes. */
    public static final int TABLE_LENGTH = GRANTS * Target.LENGTH;
    /** So many credits stay unused if messages travel as Sends: control messages of this side take receives, too. */
    private static final int KEPT_BACK = 4;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment table;
    private final PrivateData peer;
    private final int keptBack;

    // Sending. Numbers of messages count modulo 2^16.
    private short sent;
    private short limit;
    /** How many entries of the table may be new. */
    private int announced;
    private int slot;
    private long address;
    private int key;
    private int room;

    // Receiving.
    private final int credits;
    private short received;
    private short promised;
    /** The peer has sent data: a stream that it leaves idle has one range. */
    private boolean begun;
    private final int[] length = new int[GRANTS];
    private final int[] filled = new int[GRANTS];
    private final int[] consumed = new int[GRANTS];
    private int first;
    private int grants;
    private int peerSlot = 1;

    private boolean inputEnded;
    private boolean outputEnded;
    private boolean disconnected;

    /**
     * Makes one that is connected.
     *
     * @param peer      the private data of the peer
     * @param table     {@value #TABLE_LENGTH} bytes, zeros at first, that the peer writes entries into, little-endian
     * @param credits   how many messages with data the peer may send: this side said so in its private data
     * @param granted   the length of the range that this side granted in its private data
     * @param bySends   messages travel as Sends, and each needs a receive of the peer
     */
    public StreamCore(PrivateData peer, MemorySegment table, int credits, int granted, boolean bySends) {
        this.peer = peer;
        this.table = table;
        this.credits = credits;
        this.keptBack = bySends ? Math.min(KEPT_BACK, peer.credits() / 2) : 0;
        limit = (short) peer.credits();
        promised = (short) credits;
        address = peer.address();
        key = peer.key();
        room = peer.length();
        length[0] = granted;
        grants = 1;
    }

    /**
     * How many bytes the next message with data can announce.
     *
     * @return 0 if credits or a target are missing, or this side has ended its output
     * @throws StreamProtocolException if the peer's new target cannot be
     */
    public int room() throws StreamProtocolException {
        if (!mayHaveRoom()) {
            return 0;
        }
        if (room == 0 && announced > 0) {
            take();
        }
        return Math.min(room, Message.MOST_DATA);
    }

    /** {@return whether {@link #room} may not be 0; the peer's table has the answer} */
    public boolean mayHaveRoom() {
        return !outputEnded && !disconnected && distance(sent, limit) > keptBack && (room > 0 || announced > 0);
    }

    /** The peer may write to the table at any time: each field is read once. */
    private void take() throws StreamProtocolException {
        int next = (slot + 1) % GRANTS;
        long at = (long) next * Target.LENGTH;
        int bytes = table.get(INT, at + Target.SIZE);
        if (bytes == 0) {
            announced = 0;
            return;
        }
        long start = table.get(LONG, at);
        int itsKey = table.get(INT, at + Target.KEY);
        table.set(INT, at + Target.SIZE, 0);
        if (bytes < 0) {
            throw new StreamProtocolException("a target of " + Integer.toUnsignedString(bytes) + " bytes");
        }
        Target.check(start, bytes);
        announced = announced - 1;
        slot = next;
        address = start;
        key = itsKey;
        room = bytes;
    }

    /** {@return the peer's address for the next data; valid if {@link #room} is not 0} */
    public long address() {
        return address;
    }

    /** {@return the peer's key for the next data} */
    public int key() {
        return key;
    }

    /**
     * The program sends data to {@link #address}.
     *
     * @param bytes 1 to {@link #room}
     * @return the message that follows them
     */
    public int send(int bytes) {
        address += bytes;
        room -= bytes;
        sent++;
        return Message.of(Message.DATA, bytes);
    }

    /**
     * Takes a message of the peer.
     *
     * @throws StreamProtocolException if the protocol does not allow it now
     */
    public void receive(int message) throws StreamProtocolException {
        int content = Message.content(message);
        switch (Message.operation(message)) {
            case Message.DATA -> receiveData(content);
            case Message.CREDITS -> receiveCredits(content);
            case Message.CONTROL -> receiveControl(content);
            default -> throw new StreamProtocolException("a message with operation " + Message.operation(message));
        }
    }

    private void receiveData(int bytes) throws StreamProtocolException {
        if (inputEnded) {
            throw new StreamProtocolException("data after the end of its output");
        }
        if (received == promised) {
            throw new StreamProtocolException("data without a credit");
        }
        int grant = filling();
        if (grant < 0 || bytes == 0 || bytes > length[grant] - filled[grant]) {
            throw new StreamProtocolException(
                    "a message for " + bytes + " bytes; its target has room for " + (grant < 0 ? 0 : length[grant] - filled[grant]));
        }
        filled[grant] += bytes;
        received++;
        begun = true;
    }

    private void receiveCredits(int content) throws StreamProtocolException {
        short next = (short) content;
        int outstanding = distance(sent, next);
        if (content > 0xFFFF || outstanding < distance(sent, limit) || outstanding > peer.credits()) {
            throw new StreamProtocolException("a limit of " + content + " messages, after " + Short.toUnsignedInt(limit) + ", where "
                    + Short.toUnsignedInt(sent) + " were sent and " + peer.credits() + " may be outstanding");
        }
        limit = next;
        announced = Math.min(announced + 1, GRANTS);
    }

    private void receiveControl(int content) throws StreamProtocolException {
        switch (content) {
            case Message.DISCONNECT -> {
                inputEnded = true;
                disconnected = true;
            }
            case Message.SHUTDOWN -> {
                inputEnded = true;
                disconnected |= outputEnded;
            }
            case Message.KEEPALIVE -> {
                // It says that the peer lives.
            }
            default -> throw new StreamProtocolException("a control message with content " + content);
        }
    }

    /** How many messages lie between two numbers, 0 to 65,535; a side never passes its limit. */
    private static int distance(short from, short to) {
        return to - from & 0xFFFF;
    }

    /** The range that the peer fills now; -1 if all are full. */
    private int filling() {
        for (int i = 0; i < grants; i++) {
            int grant = (first + i) % GRANTS;
            if (filled[grant] < length[grant]) {
                return grant;
            }
        }
        return -1;
    }

    /** {@return which of the {@value #GRANTS} ranges the next unread bytes are in: 0, 1, 0, …} */
    public int grant() {
        return first;
    }

    /** {@return the offset of these bytes in that range} */
    public int offset() {
        return consumed[first];
    }

    /** {@return how many unread bytes follow there; there may be more in the next range once these are consumed} */
    public int unread() {
        return filled[first] - consumed[first];
    }

    /** {@return how many unread bytes there are in all ranges} */
    public int available() {
        int total = 0;
        for (int i = 0; i < GRANTS; i++) {
            total += filled[i] - consumed[i];
        }
        return total;
    }

    /**
     * The program has read some of {@link #unread}.
     *
     * @return whether that range is full and consumed: it has gone, and its memory is the program's again
     */
    public boolean consume(int bytes) {
        consumed[first] += bytes;
        if (consumed[first] < length[first]) {
            return false;
        }
        length[first] = 0;
        filled[first] = 0;
        consumed[first] = 0;
        first = (first + 1) % GRANTS;
        grants--;
        return true;
    }

    /** {@return whether the peer should know one more range, since it sends} */
    public boolean wantsGrant() {
        return grants < GRANTS && begun && !inputEnded;
    }

    /** {@return which of the {@value #GRANTS} ranges the next grant is about} */
    public int nextGrant() {
        return (first + grants) % GRANTS;
    }

    /** The program grants {@link #nextGrant}: it writes an entry at {@link #entryAddress}, and sends {@link #credits()} after that. */
    public void grant(int bytes) {
        length[nextGrant()] = bytes;
        grants++;
        peerSlot = (peerSlot + 1) % peer.tableEntries();
    }

    /** {@return the peer's address for the entry of the next grant; asked before {@link #grant(int)}} */
    public long entryAddress() {
        return peer.tableAddress() + (long) peerSlot * Target.LENGTH;
    }

    /** {@return the key of that entry} */
    public int entryKey() {
        return peer.tableKey();
    }

    /** {@return whether the peer has used so many credits that it should get new ones} */
    public boolean owesCredits() {
        return distance(received, promised) <= credits / 2 && !inputEnded;
    }

    /** {@return the message that gives the peer all its credits} */
    public int credits() {
        promised = (short) (received + credits);
        return Message.of(Message.CREDITS, Short.toUnsignedInt(promised));
    }

    /** {@return the message that ends the output of this side, at most once} */
    public int shutdown() {
        outputEnded = true;
        if (inputEnded) {
            return disconnect();
        }
        return Message.of(Message.CONTROL, Message.SHUTDOWN);
    }

    /** {@return the message that ends the stream both ways} */
    public int disconnect() {
        outputEnded = true;
        disconnected = true;
        return Message.of(Message.CONTROL, Message.DISCONNECT);
    }

    /** {@return whether no further data come} */
    public boolean inputEnded() {
        return inputEnded;
    }

    /** {@return whether this side sends no further data} */
    public boolean outputEnded() {
        return outputEnded;
    }

    /** {@return whether both directions have ended by messages: the connection may end} */
    public boolean disconnected() {
        return disconnected;
    }

    /** {@return the byte order of the entries and messages that the peer reads} */
    public boolean peerIsBigEndian() {
        return peer.bigEndian();
    }

    @Override
    public String toString() {
        return "sent " + sent + " of " + limit + ", room " + room + ", announced " + announced + "; received " + received + " of "
                + promised + ", unread " + unread() + ", grants " + grants;
    }
}
