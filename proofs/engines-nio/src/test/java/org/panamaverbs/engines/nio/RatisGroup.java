package org.panamaverbs.engines.nio;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/**
 * A group of three servers of Ratis and a client, as a program that knows nothing of verbs has them: {@code ADDRESS PORT WRITES BYTES BEFORE}.
 * It prints how many writes a second the group has replicated, with 64 of them under way, after BEFORE others that are not counted.
 */
public final class RatisGroup {
    private static final int SERVERS = 3;
    private static final int UNDER_WAY = 64;

    private RatisGroup() {
    }

    /** Counts, and answers the count. */
    private static final class Counter extends BaseStateMachine {
        private long count;

        @Override
        public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
            count++;
            updateLastAppliedTermIndex(transaction.getLogEntry().getTerm(), transaction.getLogEntry().getIndex());
            return CompletableFuture.completedFuture(Message.valueOf(Long.toString(count)));
        }
    }

    /** @param arguments see above */
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[1]);
        int writes = Integer.parseInt(arguments[2]);
        int before = Integer.parseInt(arguments[4]);
        List<RaftPeer> peers = new ArrayList<>();
        for (int i = 0; i < SERVERS; i++) {
            peers.add(RaftPeer.newBuilder().setId("n" + i).setAddress(arguments[0] + ":" + (port + i)).build());
        }
        RaftGroup group = RaftGroup.valueOf(RaftGroupId.randomId(), peers);
        Path directory = Files.createTempDirectory("ratis");
        List<RaftServer> servers = new ArrayList<>();
        for (int i = 0; i < SERVERS; i++) {
            RaftProperties properties = new RaftProperties();
            RaftServerConfigKeys.setStorageDir(properties, List.of(directory.resolve("n" + i).toFile()));
            // The disk shall not be measured.
            RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, true);
            GrpcConfigKeys.Server.setPort(properties, port + i);
            GrpcConfigKeys.Server.setHost(properties, arguments[0]);
            RaftServer server = RaftServer.newBuilder().setServerId(peers.get(i).getId()).setGroup(group).setProperties(properties)
                    .setStateMachine(new Counter()).setOption(RaftStorage.StartupOption.FORMAT).build();
            server.start();
            servers.add(server);
        }
        try (RaftClient client = RaftClient.newBuilder().setProperties(new RaftProperties()).setRaftGroup(group).build()) {
            ByteString bytes = ByteString.copyFrom(new byte[Integer.parseInt(arguments[3])]);
            write(client, bytes, before);
            long begin = System.nanoTime();
            long last = write(client, bytes, writes);
            double seconds = (System.nanoTime() - begin) / 1e9;
            if (last != before + writes) {
                throw new IllegalStateException("the group has counted " + last + " writes, not " + (before + writes));
            }
            System.out.printf("%.0f%n", writes / seconds);
        }
        for (RaftServer server : servers) {
            server.close();
        }
        System.exit(0);
    }

    private static long write(RaftClient client, ByteString bytes, int writes) throws Exception {
        Semaphore places = new Semaphore(UNDER_WAY);
        List<CompletableFuture<RaftClientReply>> replies = new ArrayList<>();
        for (int i = 0; i < writes; i++) {
            places.acquire();
            CompletableFuture<RaftClientReply> reply = client.async().send(Message.valueOf(bytes));
            reply.whenComplete((answer, failure) -> places.release());
            replies.add(reply);
        }
        long last = 0;
        for (CompletableFuture<RaftClientReply> reply : replies) {
            RaftClientReply answer = reply.get();
            if (!answer.isSuccess()) {
                throw new IOException("a write has failed: " + answer);
            }
            last = Math.max(last, Long.parseLong(answer.getMessage().getContent().toString(StandardCharsets.UTF_8)));
        }
        return last;
    }
}
