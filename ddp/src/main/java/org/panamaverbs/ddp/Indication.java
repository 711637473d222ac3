package org.panamaverbs.ddp;

import java.net.InetSocketAddress;
import org.panamaverbs.VerbsException;

/**
 * The result of {@link DdpSocket#receive} ({@code ddp_ind_t} of RFC 4296, 2.1.2). A program makes one by {@link DdpSocket#newIndication()}
 * and uses it again and again: nothing is allocated for a message. Its content is valid until the next receive with it.
 */
public interface Indication {
    /** The kinds of indications. */
    enum Kind {
        /** None: the indication was not filled yet. */
        NONE,
        /** An untagged message is in {@link #buffer()}. */
        MESSAGE,
        /** A tagged message is placed, and its sender asked for a notification with {@link #messageId()}. */
        NOTIFICATION,
        /** The stream ended for a reason: {@link #failure()}. No other indication follows. */
        ERROR,
        /** The peer ended the stream in good order. No other indication follows. */
        END
    }

    /**
     * The kind.
     *
     * @return decides which of the other methods may be called
     */
    Kind kind();

    /**
     * The identifier that the sender gave to a tagged message.
     *
     * @return 31 bits over DDPP, 7 bits over RFC 5041
     * @throws IllegalStateException unless the kind is {@link Kind#NOTIFICATION}
     */
    int messageId();

    /**
     * The buffer that an untagged message was placed into.
     *
     * @return the buffer of a {@link DdpSocket#postReceive}
     * @throws IllegalStateException unless the kind is {@link Kind#MESSAGE}
     */
    RegisteredBuffer buffer();

    /**
     * The offset in that buffer at which an untagged message begins.
     *
     * @return bytes from the start of the buffer
     * @throws IllegalStateException unless the kind is {@link Kind#MESSAGE}
     */
    long offset();

    /**
     * The length of an untagged message.
     *
     * @return bytes, 0 or more
     * @throws IllegalStateException unless the kind is {@link Kind#MESSAGE}
     */
    long length();

    /**
     * The sender of an untagged or tagged message over datagrams; on other transports, the peer. An error of a datagram socket that has no
     * destination names the socket's own address.
     *
     * @return an address and port
     * @throws IllegalStateException if the kind is {@link Kind#NONE}
     */
    InetSocketAddress source();

    /**
     * The octet that the header of RFC 5041 carries for the program (RsvdULP of a tagged header; bits 0 to 7 of that of an untagged one).
     *
     * @return 0 to 255; 0 on other transports
     */
    int ulpOctet();

    /**
     * The 32 bits that an untagged header of RFC 5041 carries for the program besides (RsvdULP, bits 8 to 39).
     *
     * @return any 32 bits; 0 on other transports and for tagged messages
     */
    int ulpWord();

    /**
     * The queue of an untagged message.
     *
     * @return 0 or more; 0 on transports other than RFC 5041's
     */
    int queue();

    /**
     * Why the stream ended.
     *
     * @return names the peer, the cause and a remedy
     * @throws IllegalStateException unless the kind is {@link Kind#ERROR}
     */
    VerbsException failure();
}
