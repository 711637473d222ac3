package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.Connection;

/** The events of a device's connections and regions in a recording of the Flight Recorder. */
class FlightRecorderFaultsTest extends OnStubDevice {
    @TempDir
    private Path folder;

    @Test
    void shouldRecordAConnectionAndItsMemory() throws Exception {
        List<RecordedEvent> events;
        int number;
        int key;
        try (Recording recording = new Recording()) {
            recording.start();
            try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
                CoreProtectionDomain domain = (CoreProtectionDomain) verbs.device("stub0").allocateProtectionDomain();
                Connection connection = connect(domain, QueuePairAttributes.of(domain.device().createCompletionQueue(16)));
                number = connection.queuePair().number();
                MemoryRegion region = domain.register(arena.allocate(4096), Access.LOCAL_WRITE);
                key = region.remoteKey();
                StubDevice.withhold();
                connection.queuePair()
                        .post(new SendRequest().write(1).local(region, 0, 10).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled());
                StubDevice.raiseConnection(StubDevice.identifier(), Rdma.RDMA_CM_EVENT_DISCONNECTED(), 0);
                assertTrue(connection.awaitDisconnected(LIMIT));
                region.close();
            }
            Path file = folder.resolve("recording.jfr");
            recording.dump(file);
            events = RecordingFile.readAllEvents(file);
        }
        RecordedEvent established = only(events, "ConnectionEstablished");
        assertEquals(List.of("stub0", number, true, "RoCE", "127.0.0.1:4711"),
                List.of(established.getString("device"), established.getInt("queuePair"), established.getBoolean("initiator"),
                        established.getString("path"), established.getString("remote")));
        RecordedEvent ended = only(events, "ConnectionEnded");
        assertEquals(number, ended.getInt("queuePair"));
        assertEquals("remote error", ended.getString("cause"));
        assertTrue(ended.getString("reason").startsWith("the peer ended the connection"), ended::toString);
        assertEquals(10, ended.getLong("bytesSent"));
        assertTrue(ended.getDuration("lifetime").toNanos() > 0, ended::toString);
        for (String name : List.of("MemoryRegistration", "MemoryDeregistration")) {
            RecordedEvent memory = only(events, name);
            assertEquals(4096, memory.getLong("length"));
            assertEquals(Integer.toUnsignedLong(key), memory.getLong("stag"));
        }
    }

    private static RecordedEvent only(List<RecordedEvent> events, String name) {
        List<RecordedEvent> named = events.stream().filter(event -> event.getEventType().getName().equals("panamaverbs." + name)).toList();
        assertEquals(1, named.size(), named::toString);
        return named.getFirst();
    }
}
