package org.panamaverbs.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.RegistrableArena;

/**
 * Attackers and honest clients against a server in a process of its own, whose folder has a file {@code big} of 64 MiB and a folder
 * {@code many} with some hundred files. Not part of the ordinary run: {@code -Dtest=AttackRun} with
 *
 * <pre>
 * -Dattack.server=tcp:127.0.0.1:2049    or rdma:...
 * -Dattack.pid=N                        the process, to see what it holds
 * -Dattack.seconds=10                   of each attack, with a bystander
 * -Dattack.only=H2.*                    attacks whose names match
 * -Dattack.connections=300              of attackers that are idle
 * -Dattack.minutes=60                   instead of one attack after the other: all mixed, with honest clients that write and read back
 * </pre>
 */
class AttackRun {
    private static final int HONEST = 4;
    private static final int BYTES = 256 << 10;
    private static final long PAUSE_MILLIS = 100;

    private final String[] server = System.getProperty("attack.server", "").split(":");
    private final AtomicLong operations = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong names = new AtomicLong(System.currentTimeMillis());
    private volatile boolean over;

    @Test
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    void shouldServeHonestClients() throws Exception {
        // No ordinary run has this class: whoever asks for it wants an attack.
        assertEquals(3, server.length, "-Dattack.server=CARRIER:ADDRESS:PORT");
        long minutes = Long.getLong("attack.minutes", 0);
        if (minutes > 0) {
            mixed(minutes);
        } else {
            oneAfterTheOther();
        }
    }

    private Attackers attackers() {
        return new Attackers(server[0].equals("rdma"), new InetSocketAddress(server[1], Integer.parseInt(server[2])));
    }

    private void oneAfterTheOther() throws Exception {
        long seconds = Long.getLong("attack.seconds", 10);
        int connections = Integer.getInteger("attack.connections", 300);
        for (Attackers.Attack attack : Attackers.Attack.values()) {
            if (!attack.name().matches(System.getProperty("attack.only", ".*"))) {
                continue;
            }
            String said;
            try (Attackers attackers = attackers()) {
                attackers.start(attack, connections);
                Bystander bystander = new Bystander(attackers.honest(1));
                bystander.run(TimeUnit.SECONDS.toNanos(seconds));
                said = bystander.toString();
            } catch (IOException | RuntimeException e) {
                said = "the bystander was not served: " + e;
            }
            System.out.println("attack " + attack + " " + server[0] + ": " + said + "; " + held());
            Thread.sleep(2000);
        }
    }

    private void mixed(long minutes) throws Exception {
        System.out.println("attack mixed " + server[0] + ", before: " + held());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < HONEST; i++) {
            int number = i;
            threads.add(Thread.ofPlatform().start(() -> honest(number)));
        }
        threads.add(Thread.ofPlatform().start(() -> paced(minutes)));
        long begin = System.nanoTime();
        Random random = new Random(29);
        Attackers.Attack[] attacks = Attackers.Attack.values();
        for (int round = 1; System.nanoTime() - begin < TimeUnit.MINUTES.toNanos(minutes); round++) {
            try (Attackers attackers = attackers()) {
                for (int i = 0; i < 3; i++) {
                    attackers.start(attacks[1 + random.nextInt(attacks.length - 1)], 100);
                }
                Thread.sleep(TimeUnit.SECONDS.toMillis(20));
            } catch (IOException | RuntimeException e) {
                // An attacker that is refused.
            }
            if (round % 9 == 0) {
                System.out.println("attack mixed " + server[0] + ", round " + round + ": " + counts() + "; " + held());
            }
        }
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        Thread.sleep(TimeUnit.SECONDS.toMillis(5));
        System.out.println("attack mixed " + server[0] + ", after: " + counts() + "; " + held());
        assertTrue(operations.get() > 0 && errors.get() == 0, this::counts);
    }

    /** A bystander that asks twenty times a second. */
    private void paced(long minutes) {
        try (Attackers connections = attackers()) {
            Bystander bystander = new Bystander(connections.honest(1), 50);
            bystander.run(TimeUnit.MINUTES.toNanos(minutes));
            errors.addAndGet(bystander.errors());
            System.out.println("attack mixed " + server[0] + ", bystander: " + bystander);
        } catch (IOException | RuntimeException e) {
            errors.incrementAndGet();
            System.out.println("attack mixed " + server[0] + ", bystander: " + e);
        }
    }

    private String counts() {
        return operations.get() + " honest operations, " + errors.get() + " errors";
    }

    private static void pause() {
        try {
            Thread.sleep(1000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes a file, reads it back, renames and removes it, and lists a folder. */
    private void honest(int number) {
        Random random = new Random(number);
        while (!over) {
            try (Attackers connections = attackers(); RegistrableArena arena = RegistrableArena.ofShared()) {
                NfsClient client = connections.honest(4);
                NfsFile root = client.lookup("");
                NfsFile many = client.lookup(Attackers.MANY);
                MemorySegment written = arena.allocate(BYTES, 8);
                MemorySegment read = arena.allocate(BYTES, 8);
                while (!over) {
                    round(client, root, many, "honest-" + number + "-" + names.incrementAndGet(), random.nextInt(), written, read);
                    Thread.sleep(PAUSE_MILLIS);
                }
            } catch (IOException | RuntimeException e) {
                if (errors.incrementAndGet() <= 20) {
                    System.out.println("attack mixed " + server[0] + ": honest client " + number + ": " + e);
                }
                pause();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void round(NfsClient client, NfsFile root, NfsFile many, String name, int seed, MemorySegment written, MemorySegment read)
            throws IOException {
        for (long at = 0; at < BYTES; at += Integer.BYTES) {
            written.set(ValueLayout.JAVA_INT, at, (int) (seed * 31 + at));
        }
        OpenFile file = client.create(root, FileName.of(name), 0644);
        client.write(file, 0, written, done -> {
            // Nobody counts.
        });
        client.read(file, 0, read, done -> {
            // Nobody counts.
        });
        client.close(file);
        if (read.mismatch(written) >= 0) {
            throw new IOException(name + " differs from what was written");
        }
        FileName renamed = FileName.of(name + "-renamed");
        client.rename(root, FileName.of(name), renamed);
        client.attributes(client.lookup(root, renamed), NfsClient.USUAL);
        client.list(many, entry -> {
            // Nobody counts.
        });
        client.remove(root, renamed);
        operations.addAndGet(8);
    }

    /** What the server's process holds. */
    private static String held() throws IOException {
        long pid = Long.getLong("attack.pid", -1);
        if (pid < 0) {
            return "no -Dattack.pid";
        }
        Path process = Path.of("/proc", Long.toString(pid));
        String memory = Files.readAllLines(process.resolve("status")).stream().filter(line -> line.startsWith("VmRSS")).findFirst()
                .orElse("no memory").replaceAll("\\s+", " ");
        return String.format(Locale.ROOT, "%s, %d descriptors, %d threads", memory, entries(process.resolve("fd")),
                entries(process.resolve("task")));
    }

    private static long entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.count();
        }
    }
}
