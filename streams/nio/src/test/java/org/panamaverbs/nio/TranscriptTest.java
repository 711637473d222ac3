package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.nio.Scene.Operation;
import org.panamaverbs.nio.Scene.State;

/** Every method of channels, sockets, selectors and keys in every state: the results are those of the JDK's provider. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class TranscriptTest {
    /** Lines that differ. The table "Differences from the JDK's channels" in docs/reference/nio.md has the reasons. */
    private static final List<String> EXPECTED = List.of(".*: socket: sendUrgentData", ".*: toString",
            "(connected|accepted): getOption\\(SO_SNDBUF\\)", ".*: Channels' available", "output shut: Channels' write",
            ".*: interrupted Channels' (read|write)",
            ".*key of fresh (server|stream): (.*select.*|selectedKeys.*|is(Read|Writ|Accept)able|readyOps)");
    private static final Set<String> TRANSFERS = Set.of("fresh", "connected", "with bytes", "peer's output shut after bytes", "reset",
            "full", "input shut before bytes", "output shut", "closed", "nonblocking connected", "nonblocking with bytes",
            "nonblocking full");
    private static final Set<String> OPTIONS = Set.of("fresh", "bound", "connected", "accepted", "closed", "server fresh", "server bound",
            "server closed");

    private static Map<String, State> some(Map<String, State> states, Set<String> names) {
        Map<String, State> some = new LinkedHashMap<>(states);
        some.keySet().retainAll(names);
        return some;
    }

    private static Transcript transcript() {
        Transcript transcript = new Transcript();
        Map<String, State> states = ChannelStates.ofChannels();
        Map<String, Operation> transfers = ChannelOperations.transfers();
        transcript.add(some(states, TRANSFERS), transfers);
        Map<String, Operation> changes = ChannelOperations.ofChannels();
        transcript.add(states, changes);
        transcript.add(states, ChannelOperations.interrupted(transfers, "read(heap)", "write(heap)", "read([heap])", "write([heap])",
                "Channels' read", "Channels' write", "read(empty)", "write(empty)"));
        transcript.add(states, ChannelOperations.interrupted(changes, "connect(the server)", "finishConnect", "shutdownInput",
                "shutdownOutput", "bind(a free port)", "close"));
        transcript.add(states, SocketOperations.ofSockets());
        transcript.add(some(states, OPTIONS), SocketOperations.setters());
        transcript.add(some(states, OPTIONS), ChannelOperations.options(scene -> scene.channel));
        Map<String, State> servers = ChannelStates.ofServers();
        Map<String, Operation> ofServers = ChannelOperations.ofServers();
        transcript.add(servers, ofServers);
        transcript.add(servers, ChannelOperations.interrupted(ofServers, "accept", "bind(a free port)", "close"));
        transcript.add(servers, SocketOperations.ofServerSockets());
        transcript.add(some(servers, OPTIONS), ChannelOperations.options(scene -> scene.server));
        transcript.add(Map.of("families", scene -> {
            // Nothing is there yet.
        }), ChannelOperations.families());
        transcript.add(SelectorOperations.states(), SelectorOperations.operations());
        return transcript;
    }

    @Test
    void shouldBeThatOfTheJdk() throws Exception {
        assumeTrue(Runtime.version().feature() >= 25, "the JDK's own differs from version to version");
        Transcript transcript = transcript();
        Map<String, List<String>> differences = transcript.differences(Providers.of(Providers.JDK),
                Providers.of(System.getProperty("transcript.provider", "epoll")), EXPECTED);
        Files.writeString(Path.of("target/transcript.txt"), text(differences));
        Map<String, List<String>> unexpected = new LinkedHashMap<>(differences);
        unexpected.keySet().removeIf(line -> EXPECTED.stream().anyMatch(line::matches));
        assertEquals("", text(unexpected), differences.size() + " of " + transcript.size() + " lines differ");
        assertEquals(List.of(),
                EXPECTED.stream().filter(pattern -> differences.keySet().stream().noneMatch(line -> line.matches(pattern))).toList(),
                "differences that are none any more: take them out of docs/reference/nio.md, too");
    }

    private static String text(Map<String, List<String>> differences) {
        return differences.entrySet().stream()
                .map(each -> each.getKey() + "\n    JDK:  " + each.getValue().get(0) + "\n    ours: " + each.getValue().get(1) + "\n")
                .collect(Collectors.joining());
    }
}
