package org.panamaverbs.softiwarp.transport.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SharedMemoryCalls;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;

/**
 * Shared memory and the kernel's routing say the same: an address that has moved to another machine leads there, though its listener is
 * still here. Each test runs in a network namespace of its own, and another namespace is the other machine.
 */
class MovedAddressTest {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final String OTHER = "pv-moved-" + ProcessHandle.current().pid();
    private static final String SERVICE = "10.77.0.7";

    @FunctionalInterface
    private interface Body {
        void run(Multiplexer multiplexer) throws Exception;
    }

    @BeforeEach
    void needsNamespaces() {
        assumeTrue(SharedMemoryCalls.user() == 0, "only root can make a network namespace");
        assumeTrue(Stream.of("/usr/bin/python3", "/usr/sbin/ip").allMatch(path -> Files.isExecutable(Path.of(path))),
                "needs python3 and ip(8)");
    }

    @AfterEach
    void deleteTheOtherMachine() throws Exception {
        new ProcessBuilder("ip", "netns", "del", OTHER).redirectErrorStream(true).start().waitFor();
    }

    /** A thread has the namespace alone, and so have the programs that it starts. */
    private static void inANamespace(Body body) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try (Multiplexer multiplexer = new SharedMultiplexer(new EpollMultiplexer(), false)) {
                leaveTheNamespaceOfTheProcess();
                ip("link", "set", "lo", "up");
                body.run(multiplexer);
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        done.get(60, TimeUnit.SECONDS);
    }

    private static void leaveTheNamespaceOfTheProcess() throws Throwable {
        MethodHandle unshare = Native.link(Linker.nativeLinker().defaultLookup().find("unshare").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            int failed = (int) unshare.invokeExact(errno, CLONE_NEWNET);
            assumeTrue(failed == 0, () -> "this sandbox has no network namespaces: error " + Native.errno(errno));
        }
    }

    private static void ip(String... words) throws Exception {
        Process process = start(Stream.concat(Stream.of("ip"), Arrays.stream(words)).toArray(String[]::new));
        assertEquals(0, process.waitFor(), () -> String.join(" ", words));
    }

    private static Process start(String... words) throws IOException {
        return new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static void connectTheOtherMachine() throws Exception {
        ip("netns", "add", OTHER);
        ip("link", "add", "here", "type", "veth", "peer", "name", "there", "netns", OTHER);
        ip("addr", "add", "10.77.0.1/24", "dev", "here");
        ip("link", "set", "here", "up");
        ip("-n", OTHER, "addr", "add", "10.77.0.2/24", "dev", "there");
        ip("-n", OTHER, "link", "set", "there", "up");
    }

    /** A program there that greets the peers of a port. */
    private static Process greetThere(int port) throws Exception {
        Process there = start("ip", "netns", "exec", OTHER, "python3", "-c", "import socket\ns = socket.create_server(('', " + port
                + "))\nprint('ready', flush=True)\nwhile True: s.accept()[0].sendall(b'there')");
        BufferedReader output = there.inputReader();
        assertEquals("ready", output.readLine());
        return there;
    }

    private static Channel.Path pathTo(Multiplexer multiplexer, InetSocketAddress address) {
        Channel client = multiplexer.connect(address);
        Channel.Path path = client.path();
        client.close();
        return path;
    }

    private static void assertAnsweredThere(Multiplexer multiplexer, InetSocketAddress address) {
        Channel client = multiplexer.connect(address);
        assertEquals(Channel.Path.TCP, client.path());
        boolean[] readable = new boolean[1];
        multiplexer.add(client, events -> readable[0] |= (events & Multiplexer.READABLE) != 0);
        while (!readable[0]) {
            multiplexer.select(-1);
        }
        assertEquals(1, client.finishConnect());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sink = arena.allocate(8);
            assertEquals("there", Peers.text(sink.asSlice(0, client.read(Peers.vector(sink)))));
        }
        client.close();
    }

    @ParameterizedTest
    @ValueSource(strings = { SERVICE, "0.0.0.0", "::" })
    void shouldReachTheMachineThatHasTheAddressNow(String listening) throws Exception {
        inANamespace(multiplexer -> {
            connectTheOtherMachine();
            ip("addr", "add", SERVICE + "/24", "dev", "here");
            Acceptor<Channel> acceptor = multiplexer.listen(new InetSocketAddress(listening, 0), 4);
            InetSocketAddress service = new InetSocketAddress(SERVICE, acceptor.address().getPort());
            assertEquals(Channel.Path.SHARED_MEMORY, pathTo(multiplexer, service));
            Process there = greetThere(service.getPort());
            ip("addr", "del", SERVICE + "/24", "dev", "here");
            ip("-n", OTHER, "addr", "add", SERVICE + "/24", "dev", "there");
            assertAnsweredThere(multiplexer, service);
            assertAnsweredThere(multiplexer, service);
            // And back: the listener has been here all the time.
            ip("-n", OTHER, "addr", "del", SERVICE + "/24", "dev", "there");
            ip("addr", "add", SERVICE + "/24", "dev", "here");
            assertEquals(Channel.Path.SHARED_MEMORY, pathTo(multiplexer, service));
            there.destroyForcibly().waitFor();
            acceptor.close();
        });
    }

    @Test
    void shouldReachTheListenerOfAllAddressesIfThatOfTheAddressIsGone() throws Exception {
        inANamespace(multiplexer -> {
            ip("addr", "add", SERVICE + "/32", "dev", "lo");
            Acceptor<Channel> one = multiplexer.listen(new InetSocketAddress(SERVICE, 0), 4);
            InetSocketAddress service = one.address();
            one.close();
            Acceptor<Channel> all = multiplexer.listen(new InetSocketAddress("::", service.getPort()), 4);
            Channel client = multiplexer.connect(service);
            assertEquals(Channel.Path.SHARED_MEMORY, client.path());
            Channel server = all.accept();
            assertEquals(service, server.localAddress());
            client.close();
            server.close();
            all.close();
        });
    }

    /** ip-route(8): a route of type local makes each address of a network one of this machine. */
    @Test
    void shouldFindAListenerOfAllAddressesByTheAddressesOfARouteToThisMachine() throws Exception {
        inANamespace(multiplexer -> {
            Acceptor<Channel> acceptor = multiplexer.listen(new InetSocketAddress("0.0.0.0", 0), 4);
            InetSocketAddress address = new InetSocketAddress("10.78.1.2", acceptor.address().getPort());
            assertNull(Offer.connect(Route.to(address)));
            ip("route", "add", "local", "10.78.0.0/16", "dev", "lo");
            assertEquals(Channel.Path.SHARED_MEMORY, pathTo(multiplexer, address));
            acceptor.close();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldNotTakeALinkLocalAddressOfAnotherLinkForItsOwn(boolean listensOnAll) throws Exception {
        inANamespace(multiplexer -> {
            ip("link", "add", "one", "type", "veth", "peer", "name", "two");
            for (String link : new String[] { "one", "two" }) {
                ip("link", "set", link, "addrgenmode", "none");
                ip("link", "set", link, "up");
            }
            ip("addr", "add", "fe80::77/64", "dev", "one", "nodad");
            ip("addr", "add", "fe80::78/64", "dev", "two", "nodad");
            awaitRoute("fe80::77", "one");
            InetAddress own = onLink("one");
            Acceptor<Channel> acceptor = multiplexer.listen(new InetSocketAddress(listensOnAll ? InetAddress.getByName("::") : own, 0), 4);
            int port = acceptor.address().getPort();
            assertNull(Offer.connect(Route.to(new InetSocketAddress(onLink("two"), port))), "another machine of that link may have it");
            InetSocketAddress address = new InetSocketAddress(own, port);
            Offer.Connected connected = Offer.connect(Route.to(address));
            assertNotNull(connected);
            Channel server = acceptor.accept();
            assertEquals(address, server.localAddress());
            assertEquals(connected.local(), server.remoteAddress());
            assertTrue(((Inet6Address) server.localAddress().getAddress()).getScopeId() != 0);
            connected.socket().close();
            server.close();
            acceptor.close();
        });
    }

    /** Waits until the system knows that an address is its own: it does that later, in a thread of its own. */
    private static void awaitRoute(String address, String link) throws Exception {
        boolean isThere = false;
        while (!isThere) {
            try (Stream<String> lines = start("ip", "-6", "-o", "route", "show", "table", "local", "dev", link).inputReader().lines()) {
                isThere = lines.anyMatch(line -> line.contains(address));
            }
        }
    }

    /** By ip(8), since the JDK looks into the namespace of the process. */
    private static InetAddress onLink(String link) throws Exception {
        String line = start("ip", "-o", "link", "show", link).inputReader().readLine();
        int index = Integer.parseInt(line.substring(0, line.indexOf(':')));
        return Inet6Address.getByAddress(null, InetAddress.getByName("fe80::77").getAddress(), index);
    }
}
