package org.panamaverbs.nfs.client;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeUnix;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.rpc.net.IpProtocolType;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.rpcrdma.PlacedCall;
import org.panamaverbs.rpcrdma.Placement;
import org.panamaverbs.rpcrdma.RdmaRpcClient;
import org.panamaverbs.rpcrdma.RdmaRpcOptions;
import org.panamaverbs.testing.StallingRelay;

/** Clients that say nothing, take nothing or take everything, from an address of their own. */
final class Attackers implements AutoCloseable {
    static final String BIG = "big";
    static final String MANY = "many";
    static final int BIG_BYTES = 64 << 20;
    private static final String ADDRESS = "127.0.0.2";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int PARALLEL = 32;
    private static final int PAGE = 64 << 10;

    private final boolean rdma;
    private final InetSocketAddress service;
    private final Verbs verbs;
    private final ConcurrentLinkedDeque<AutoCloseable> open = new ConcurrentLinkedDeque<>();

    /** What they do; the names of the review. */
    enum Attack {
        /** For comparison. */
        NONE,
        /** H1: 32 READs of 1 MiB whose replies nobody takes. */
        H1_READS_NOT_TAKEN,
        /** H2 and H4: connections without a call. */
        H2_H4_IDLE_CONNECTIONS,
        /** H3: READDIRs on one session without end, whose replies nobody takes. */
        H3_LISTS_NOT_TAKEN,
        /** H5: READs that wait for buffers, because the others of the same client are not taken. */
        H5_READS_THAT_WAIT,
        /** H6: files that are removed while they are open. */
        H6_OPEN_FILES_REMOVED
    }

    Attackers(boolean rdma, InetSocketAddress service) {
        this.rdma = rdma;
        this.service = service;
        verbs = rdma ? Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build()) : null;
    }

    /** An honest client. */
    NfsClient honest(int parallel) throws IOException {
        return NfsClient.open(transport(service), NfsOptions.defaults().withTransfers(parallel, 1 << 20));
    }

    private RpcTransport transport(InetSocketAddress address) throws IOException {
        if (rdma) {
            RdmaRpcClient client = RdmaRpcClient.open(verbs, RdmaRpcOptions.defaults());
            open.push(client);
            return client.connect(address, TIMEOUT);
        }
        OncRpcClient client = new OncRpcClient(address, IpProtocolType.TCP);
        open.push(client);
        return client.connect(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    private StallingRelay relay() throws IOException {
        StallingRelay relay = new StallingRelay(service, ADDRESS);
        open.push(relay);
        return relay;
    }

    /** Starts one; some of it goes on in threads of its own until {@link #close}. */
    void start(Attack attack, int connections) throws IOException {
        switch (attack) {
            case NONE -> {
                // Nobody attacks.
            }
            case H1_READS_NOT_TAKEN -> readsNotTaken();
            case H2_H4_IDLE_CONNECTIONS -> idle(connections);
            case H3_LISTS_NOT_TAKEN -> listsNotTaken();
            case H5_READS_THAT_WAIT -> {
                readsNotTaken();
                loop(this::readAgainAndAgain);
            }
            case H6_OPEN_FILES_REMOVED -> loop(this::openAndRemove);
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void loop(Step step) {
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                step.run();
            } catch (IOException | RuntimeException e) {
                // The server has ended it.
            }
        });
        open.push(thread::interrupt);
    }

    private void readsNotTaken() throws IOException {
        StallingRelay relay = relay();
        NfsClient client = NfsClient.open(transport(relay.address()), NfsOptions.defaults().withTransfers(PARALLEL, 1 << 20));
        OpenFile file = client.open(client.lookup(BIG));
        relay.stall();
        loop(() -> client.read(file, 0, Arena.ofAuto().allocate(BIG_BYTES, 8), done -> {
            // Nobody counts.
        }));
    }

    private void readAgainAndAgain() throws IOException {
        NfsClient client = NfsClient.open(transport(relay().address()), NfsOptions.defaults().withTransfers(PARALLEL, 1 << 20));
        OpenFile file = client.open(client.lookup(BIG));
        MemorySegment memory = Arena.ofAuto().allocate(BIG_BYTES, 8);
        while (!Thread.currentThread().isInterrupted()) {
            client.read(file, 0, memory, done -> {
                // Nobody counts.
            });
        }
    }

    private void openAndRemove() throws IOException {
        NfsClient one = NfsClient.open(transport(relay().address()), NfsOptions.defaults());
        NfsClient other = NfsClient.open(transport(relay().address()), NfsOptions.defaults());
        NfsFile root = one.lookup("");
        for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
            FileName name = FileName.of("removed-" + i % 8);
            OpenFile file = one.create(root, name, 0644);
            other.remove(root, name);
            one.close(file);
        }
    }

    private void idle(int connections) throws IOException {
        StallingRelay relay = relay();
        for (int i = 0; i < connections; i++) {
            if (rdma) {
                try {
                    transport(relay.address());
                } catch (IOException | RuntimeException e) {
                    // The server took the place of this one for the next, before it was connected.
                }
            } else {
                Socket socket = new Socket(relay.address().getAddress(), relay.address().getPort());
                open.push(socket);
            }
        }
    }

    /** A client that uses its slot again without having the reply. */
    private void listsNotTaken() throws IOException {
        StallingRelay relay = relay();
        RpcTransport transport = transport(relay.address());
        PlacedCall rpc = new PlacedCall(Nfs4.PROGRAM, Nfs4.VERSION, new RpcAuthTypeUnix(0, 0, new int[0], 0, "attacker"), transport);
        ClientSession session = ClientRecord.make(rpc, NfsOptions.defaults().withTransfers(PARALLEL, 1 << 20)).session();
        NfsClient finder = NfsClient.open(transport, NfsOptions.defaults());
        NfsFile many = finder.lookup(MANY);
        relay.stall();
        loop(() -> {
            for (int sequence = 1; !Thread.currentThread().isInterrupted() && transport.isOpen(); sequence++) {
                for (int slot = 0; slot < session.slots(); slot++) {
                    list(rpc, session, slot, sequence, many);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        });
    }

    private static void list(PlacedCall rpc, ClientSession session, int slot, int sequence, NfsFile directory) throws IOException {
        CompoundCall compound = Operations.at(directory.handle()).add(Operation.READDIR, xdr -> {
            xdr.xdrEncodeLong(0);
            xdr.xdrEncodeLong(0);
            xdr.xdrEncodeInt(PAGE);
            xdr.xdrEncodeInt(PAGE);
            NfsClient.LISTED.encode(xdr);
        });
        compound.addFirst(Operation.SEQUENCE, xdr -> {
            session.id().encode(xdr);
            xdr.xdrEncodeInt(sequence);
            xdr.xdrEncodeInt(slot);
            xdr.xdrEncodeInt(slot);
            xdr.xdrEncodeBoolean(false);
        }, xdr -> {
            // Nobody reads it.
        });
        rpc.callAsync(Nfs4.COMPOUND, compound, compound, Placement.none().replyAtMost(2 * PAGE), Duration.ofMinutes(10));
    }

    @Override
    public void close() throws IOException {
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                // It has ended already.
            }
        }
        open.clear();
        if (verbs != null) {
            verbs.close();
        }
    }
}
