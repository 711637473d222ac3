package org.panamaverbs.softiwarp.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.SendRequest;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.testing.Transports;

/** A file is cut short while a request sends from it: that request is the one that fails, whether or not CRCs are computed first. */
class TruncatedSourceTest {
    private static final int LENGTH = 1 << 20;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({ "epoll, off", "epoll, on", "nio, off", "nio, on", "shared-memory, off" })
    void shouldFailTheRequestWhoseMemoryCannotBeRead(String transport, String crc) throws Exception {
        try (Host host = new Host(transport, "crc", crc);
                FileChannel file = FileChannel.open(folder.resolve("source"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, host.arena);
            MemoryRegion source = host.domain.register(mapped);
            MemoryRegion sound = host.region(64);
            MemoryRegion sink = host.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            Host.End client = host.connect().client();
            file.truncate(0);
            // All three may leave by the same system call.
            client.queuePair.post(new SendRequest().write(1).local(sound, 0, 64).remote(sink.remote(), 0).signaled().more());
            client.queuePair.post(new SendRequest().write(2).local(source, 0, LENGTH).remote(sink.remote(), 0).signaled().more());
            client.queuePair.post(new SendRequest().write(3).local(sound, 0, 64).remote(sink.remote(), 0).signaled());
            Completions first = client.next();
            assertEquals(1, first.id());
            assertTrue(first.status() == CompletionStatus.SUCCESS || first.status() == CompletionStatus.FLUSHED, first.status()::toString);
            Completions second = client.next();
            assertEquals(2, second.id());
            assertEquals(CompletionStatus.LOCAL_PROTECTION_ERROR, second.status());
            Completions third = client.next();
            assertEquals(3, third.id());
            assertEquals(CompletionStatus.FLUSHED, third.status());
        }
    }

    /** The key is good: the peer must not hear of another one. */
    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldNotCallTheKeyOfAReadInvalid(String transport) throws Exception {
        try (Host host = new Host(transport, "crc", "on");
                FileChannel file = FileChannel.open(folder.resolve("source"), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, host.arena);
            MemoryRegion source = host.domain.register(mapped, Access.REMOTE_READ);
            MemoryRegion sink = host.region(LENGTH, Access.LOCAL_WRITE);
            Host.End client = host.connect().client();
            file.truncate(0);
            client.queuePair.post(new SendRequest().read(1).local(sink, 0, LENGTH).remote(source.remote(), 0).signaled());
            assertEquals(CompletionStatus.REMOTE_OPERATION_ERROR, client.next().status());
            String failure = client.connection.failure().orElseThrow().getMessage();
            assertTrue(failure.contains("was its file cut short"), failure);
        }
    }
}
