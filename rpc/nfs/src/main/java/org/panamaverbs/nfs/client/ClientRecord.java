package org.panamaverbs.nfs.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.panamaverbs.nfs.xdr.BadXdrException;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.ChannelAttributes;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.NfsTime;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.SessionId;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.rpcrdma.PlacedCall;
import org.panamaverbs.rpcrdma.Placement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's record of this client: made by EXCHANGE_ID and CREATE_SESSION, ended by their opposites (RFC 8881, 18.35 and 18.36). */
// Tested by NfsClientTest.
final class ClientRecord {
    private static final Logger LOGGER = LoggerFactory.getLogger(ClientRecord.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int REPLY = 8192;
    private static final int AROUND = 4096;
    private static final int OPERATIONS = 8;
    /** The back channel is not used; Linux's server refuses less than this, and fewer than two operations. */
    private static final ChannelAttributes BACK = new ChannelAttributes(0, 4096, 4096, 0, 2, 1);
    private static final int CALLBACK_PROGRAM = 0x40000000;
    private static final int ATTEMPTS = 3;
    private static final Duration LEAVE = Duration.ofSeconds(2);

    private final PlacedCall rpc;
    private final NfsOptions options;
    private long id;
    private int sequence;

    private ClientRecord(PlacedCall rpc, NfsOptions options) {
        this.rpc = rpc;
        this.options = options;
    }

    static ClientRecord make(PlacedCall rpc, NfsOptions options) throws IOException {
        ClientRecord client = new ClientRecord(rpc, options);
        client.exchangeId();
        return client;
    }

    long id() {
        return id;
    }

    NfsOptions options() {
        return options;
    }

    private void exchangeId() throws IOException {
        byte[] owner = new byte[16];
        RANDOM.nextBytes(owner);
        CompoundCall compound = new CompoundCall().add(Operation.EXCHANGE_ID, xdr -> {
            xdr.xdrEncodeLong(RANDOM.nextLong());
            xdr.xdrEncodeDynamicOpaque(("panama-verbs " + HexFormat.of().formatHex(owner)).getBytes(StandardCharsets.US_ASCII));
            xdr.xdrEncodeInt(Nfs4.EXCHGID4_FLAG_USE_NON_PNFS);
            xdr.xdrEncodeInt(Nfs4.SP4_NONE);
            xdr.xdrEncodeInt(0); // No nfs_impl_id4.
        }, xdr -> {
            id = xdr.xdrDecodeLong();
            sequence = xdr.xdrDecodeInt();
            xdr.xdrDecodeInt(); // Flags: this client wants neither pNFS nor migration.
            decodeServer(xdr);
        });
        call(compound, REPLY, options.timeout()).check("the server");
    }

    private static void decodeServer(XdrDecodingStream xdr) throws IOException {
        if (xdr.xdrDecodeInt() != Nfs4.SP4_NONE) {
            throw new BadXdrException("the server protects state in a way that was not asked for");
        }
        xdr.xdrDecodeLong();
        Bounded.opaque(xdr, Nfs4.OPAQUE_LIMIT, "so_major_id");
        Bounded.opaque(xdr, Nfs4.OPAQUE_LIMIT, "eir_server_scope");
        if (Bounded.count(xdr, 1, "eir_server_impl_id") == 1) {
            Bounded.opaque(xdr, Nfs4.OPAQUE_LIMIT, "nii_domain");
            Bounded.opaque(xdr, Nfs4.OPAQUE_LIMIT, "nii_name");
            NfsTime.decode(xdr);
        }
    }

    ClientSession session() throws IOException {
        for (int attempt = 1;; attempt++) {
            ClientSession[] result = new ClientSession[1];
            ChannelAttributes fore = new ChannelAttributes(0, options.ioSize() + AROUND, options.ioSize() + AROUND, 0, OPERATIONS,
                    options.parallel());
            CompoundCall compound = new CompoundCall().add(Operation.CREATE_SESSION, xdr -> {
                xdr.xdrEncodeLong(id);
                xdr.xdrEncodeInt(sequence);
                xdr.xdrEncodeInt(0);
                fore.encode(xdr);
                BACK.encode(xdr);
                xdr.xdrEncodeInt(CALLBACK_PROGRAM);
                xdr.xdrEncodeInt(1); // One way to authenticate calls back: AUTH_NONE.
                xdr.xdrEncodeInt(0);
            }, xdr -> {
                SessionId session = SessionId.decode(xdr);
                xdr.xdrDecodeInt();
                xdr.xdrDecodeInt();
                result[0] = new ClientSession(rpc, options, session, check(ChannelAttributes.decode(xdr)));
                ChannelAttributes.decode(xdr);
            });
            Status status = call(compound, REPLY, options.timeout()).status();
            if (status != Status.DELAY || attempt == ATTEMPTS) {
                compound.check("the session");
                return result[0];
            }
            // RFC 8881, 18.36.4: a failure uses up no number.
            LOGGER.debug("the server puts CREATE_SESSION off");
        }
    }

    /** A session that cannot carry the smallest call is of no use. */
    private static ChannelAttributes check(ChannelAttributes channel) throws IOException {
        if (Integer.compareUnsigned(channel.maxRequest(), AROUND) < 0 || Integer.compareUnsigned(channel.maxResponse(), AROUND) < 0
                || channel.maxRequests() == 0 || Integer.compareUnsigned(channel.maxOperations(), OPERATIONS) < 0) {
            throw new BadXdrException("the server's limits for a session are too small: " + channel);
        }
        return channel;
    }

    /** Ends the session and the record. */
    void destroy(ClientSession session) {
        try {
            Duration patience = LEAVE.compareTo(options.timeout()) < 0 ? LEAVE : options.timeout();
            call(new CompoundCall().add(Operation.DESTROY_SESSION, xdr -> session.id().encode(xdr)), Operations.shortReply(), patience)
                    .check("the session");
            call(new CompoundCall().add(Operation.DESTROY_CLIENTID, xdr -> xdr.xdrEncodeLong(id)), Operations.shortReply(), patience)
                    .check("the client's record");
        } catch (IOException e) {
            // The server forgets both when the lease ends.
            LOGGER.debug("the session was not ended in good order", e);
        }
    }

    private CompoundCall call(CompoundCall compound, int reply, Duration timeout) throws IOException {
        return call(compound, Placement.none().replyAtMost(reply), timeout);
    }

    private CompoundCall call(CompoundCall compound, Placement placement, Duration timeout) throws IOException {
        return ClientSession.await(rpc.callAsync(Nfs4.COMPOUND, compound, compound, placement, timeout), timeout);
    }
}
