package org.panamaverbs.sockets.protocol;

import java.lang.foreign.MemorySegment;

/**
 * The protocol of one stream, without I/O, clock or thread: credits, targets, and the ends of both directions.
 *
 * <p><b>Sending.</b> A message with data says how many bytes were written to the current target of the peer; it costs one credit, and never
 * spans two targets. The peer writes new targets into the table of this side. A message with credits follows each of these Writes: only
 * then this side looks for a target.
 *
 * <p><b>Receiving.</b> This side grants memory: at most {@value #GRANTS} ranges at a time, which the peer fills one after the other. A range
 * that is full and consumed gives way to a new one.
 *
 * <p><b>Between two sides that name it</b> in their private data, a message with data may carry its bytes, and a limit of credits. A side says
 * by {@link Message#CARRY} from when on, and how many bytes at most. Such a message uses its credit until the bytes are consumed, since they
 * stay in the receive.
 */
// Tested by StreamCoreTest, CarryingCoreTest.
public final class StreamCore {
    /** How many ranges of memory the peer may know at a time; as many entries the table of this side has. */
    public static final int GRANTS = 2;
    /** How long the table of targets is, in bytes. */
    public static final int TABLE_LENGTH = GRANTS * Target.LENGTH;
    /** So many credits stay unused if messages travel as Sends: control messages of this side take receives, too. */
    private static final int KEPT_BACK = 4;

    private final PrivateData peer;
    private final int keptBack;
    /** Both sides know messages that carry bytes. */
    private final boolean carries;

    // Sending. Numbers of messages count modulo 2^16.
    private short sent;
    private short limit;
    private final Targets targets;
    /** How many bytes a message to the peer may carry; 0 until it says that. */
    private int carried;

    // Receiving.
    private final int credits;
    private short received;
    /** How many of these the peer has credits for again. */
    private short freed;
    private short promised;
    /** How many bytes a message of the peer may carry; 0 until this side says that. */
    private int offered;
    private final UnreadBytes unread;
    /** The peer has sent data: a stream that it leaves idle has one range. */
    private boolean begun;
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
     * @param carries   this side has said in its private data that messages may carry bytes
     */
    public StreamCore(PrivateData peer, MemorySegment table, int credits, int granted, boolean bySends, boolean carries) {
        this.peer = peer;
        this.credits = credits;
        this.keptBack = bySends ? Math.min(KEPT_BACK, peer.credits() / 2) : 0;
        this.carries = carries && peer.carries();
        limit = (short) peer.credits();
        promised = (short) credits;
        targets = new Targets(peer, table);
        unread = new UnreadBytes(granted);
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
        targets.take();
        return Math.min(targets.room(), Message.MOST_DATA);
    }

    /** {@return whether {@link #room} may not be 0; the peer's table has the answer} */
    public boolean mayHaveRoom() {
        return maySend() && targets.mayHaveRoom();
    }

    private boolean maySend() {
        return !outputEnded && !disconnected && distance(sent, limit) > keptBack;
    }

    /** {@return how many bytes the next message with data can carry; 0 if credits are missing, or the peer takes no such messages} */
    public int carried() {
        return carried > 0 && maySend() ? carried : 0;
    }

    /** {@return whether a message can carry bytes, 1 or more} Those that fill the current target to its end must not: the next one follows. */
    public boolean canCarry(int bytes) {
        return bytes <= carried && bytes != targets.room();
    }

    /** {@return the peer's address for the next data; valid if {@link #room} is not 0} */
    public long address() {
        return targets.address();
    }

    /** {@return the peer's key for the next data} */
    public int key() {
        return targets.key();
    }

    /**
     * The program sends data to {@link #address}.
     *
     * @param bytes 1 to {@link #room}
     * @return the message that follows them
     */
    public int send(int bytes) {
        targets.use(bytes);
        sent++;
        return Message.of(Message.DATA, bytes);
    }

    /**
     * The program sends data by a message that carries them, and {@link #limit()}.
     *
     * @param bytes 1 to {@link #carried}
     * @return the message
     */
    public int carry(int bytes) {
        sent++;
        return Message.of(Message.DATA, bytes);
    }

    /**
     * Takes a message of the peer that carries nothing.
     *
     * @throws StreamProtocolException if the protocol does not allow it now
     */
    public void receive(int message) throws StreamProtocolException {
        int content = Message.content(message);
        switch (Message.operation(message)) {
            case Message.DATA -> receiveData(content);
            case Message.CREDITS -> receiveCredits(content);
            case Message.CONTROL -> receiveControl(content);
            case Message.CARRY -> receiveCarry(message, content);
            default -> throw new StreamProtocolException("a message with operation " + Message.operation(message));
        }
    }

    /**
     * Takes a message of the peer that carries bytes.
     *
     * @param next  the limit of messages with data that it carries
     * @param bytes how many bytes it carries
     * @param place of the receive that has them, 0 or more
     * @throws StreamProtocolException if the protocol does not allow it now
     */
    public void receive(int message, int next, int bytes, int place) throws StreamProtocolException {
        if (bytes == 0 || bytes > offered || message != Message.of(Message.DATA, bytes)) {
            throw new StreamProtocolException("a message with operation " + Message.operation(message) + " and content "
                    + Message.content(message) + " that carries " + bytes + " bytes; it may carry " + offered);
        }
        checkData();
        receiveLimit(next);
        received++;
        begun = true;
        unread.add(place, bytes);
    }

    private void checkData() throws StreamProtocolException {
        if (inputEnded) {
            throw new StreamProtocolException("data after the end of its output");
        }
        if (received == promised) {
            throw new StreamProtocolException("data without a credit");
        }
    }

    private void receiveData(int bytes) throws StreamProtocolException {
        checkData();
        int target = unread.room();
        if (bytes == 0 || bytes > target) {
            throw new StreamProtocolException("a message for " + bytes + " bytes; its target has room for " + target);
        }
        unread.fill(bytes);
        received++;
        freed++;
        begun = true;
    }

    private void receiveCredits(int content) throws StreamProtocolException {
        receiveLimit(content);
        targets.announce();
    }

    private void receiveLimit(int content) throws StreamProtocolException {
        short next = (short) content;
        int outstanding = distance(sent, next);
        if (content < 0 || content > 0xFFFF || outstanding < distance(sent, limit) || outstanding > peer.credits()) {
            throw new StreamProtocolException("a limit of " + content + " messages, after " + Short.toUnsignedInt(limit) + ", where "
                    + Short.toUnsignedInt(sent) + " were sent and " + peer.credits() + " may be outstanding");
        }
        limit = next;
    }

    private void receiveCarry(int message, int bytes) throws StreamProtocolException {
        if (!carries) {
            throw new StreamProtocolException("a message with operation " + Message.operation(message));
        }
        if (carried > 0 || bytes == 0 || bytes > Message.MOST_CARRIED) {
            throw new StreamProtocolException("messages that carry " + bytes + " bytes, after " + carried);
        }
        carried = bytes;
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

    /** {@return the place of the receive that has the next unread bytes; negative if they are in a range} */
    public int place() {
        return unread.place();
    }

    /** {@return which of the {@value #GRANTS} ranges the next unread bytes are in, if {@link #place} is negative: 0, 1, 0, …} */
    public int grant() {
        return unread.range();
    }

    /** {@return the offset of these bytes in that range, or in those that the message carries} */
    public int offset() {
        return unread.offset();
    }

    /** {@return how many unread bytes follow there; there may be more elsewhere once these are consumed} */
    public int unread() {
        return unread.length();
    }

    /** {@return how many unread bytes there are in all} */
    public int available() {
        return unread.bytes();
    }

    /**
     * The program has read some of {@link #unread}.
     *
     * @return whether the memory where they were is the program's again: the range is full and consumed, or the receive can be posted
     */
    public boolean consume(int bytes) {
        boolean inReceive = place() >= 0;
        boolean whole = unread.consume(bytes);
        if (inReceive && whole) {
            freed++;
        }
        return whole;
    }

    /** {@return whether the peer should know one more range, since it sends} */
    public boolean wantsGrant() {
        return unread.hasFree() && begun && !inputEnded;
    }

    /** {@return whether the peer has filled all ranges that it was granted, or used all its credits: it waits for more} */
    public boolean isFull() {
        return unread.room() == 0 || received == promised;
    }

    /** {@return which of the {@value #GRANTS} ranges the next grant is about} */
    public int nextGrant() {
        return unread.free();
    }

    /** The program grants {@link #nextGrant}: it writes an entry at {@link #entryAddress}, and sends {@link #credits()} after that. */
    public void grant(int bytes) {
        unread.grant(bytes);
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
        return credits - distance(promised, (short) (freed + credits)) <= credits / 2 && !inputEnded;
    }

    /** {@return the message that gives the peer all its credits} */
    public int credits() {
        return Message.of(Message.CREDITS, limit());
    }

    /** {@return the limit of messages with data that gives the peer all its credits; the next message to it carries the limit} */
    public int limit() {
        promised = (short) (freed + credits);
        return Short.toUnsignedInt(promised);
    }

    /** {@return whether the peer, since it sends, may learn how many bytes its messages can carry} */
    public boolean mayOffer() {
        return carries && offered == 0 && begun && !inputEnded;
    }

    /**
     * The peer learns how many bytes its messages can carry.
     *
     * @param bytes what each receive that the peer can use has room for, 1 to {@link Message#MOST_CARRIED}
     * @return the message for that
     */
    public int offer(int bytes) {
        offered = bytes;
        return Message.of(Message.CARRY, bytes);
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
        return "sent " + sent + " of " + limit + ", " + targets + "; received " + received + " of " + promised + ", " + unread;
    }
}
