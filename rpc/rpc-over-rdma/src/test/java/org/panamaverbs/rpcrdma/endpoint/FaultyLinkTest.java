package org.panamaverbs.rpcrdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.rpcrdma.OpaqueSegment;
import org.panamaverbs.rpcrdma.gate.Gate;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.limits.ServiceLimits;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.Words;

/**
 * A link that has no memory at its nth step, or refuses it, for each n: every call is answered, or fails, or the connection ends; and all
 * memory, of the link and of the service, comes back. Nothing that the endpoint meets leaves it as an exception.
 */
class FaultyLinkTest {
    private static final int CREDITS = 4;
    private static final int MESSAGE = 1 << 20;
    private static final Set<String> STEPS = Set.of("takeSend", "takeBuffer", "takeReplyBuffer", "source", "send", "sendInvalidate",
            "write", "read", "expose", "revoke");

    private final FakeLink inner = new FakeLink();
    private final Gate gate = new Gate(ServiceLimits.builder().memory(MESSAGE).build(), 1, () -> 0);
    private final List<MessageXdr> calls = new ArrayList<>();
    private final Set<Link.Memory> held = new HashSet<>();
    private Endpoint endpoint;
    private int steps;
    private int failing;
    private int unheard;
    /** The method of the step that failed. */
    private String failed;
    private boolean isLackingMemory = true;
    private final List<Bench.Caller> callers = new ArrayList<>();

    /** Memory that is counted until it is released. */
    private final class Counted implements Link.Memory {
        private final String from;
        private final Link.Memory memory;

        Counted(String from, Link.Memory memory) {
            this.from = from;
            this.memory = memory;
            held.add(this);
        }

        @Override
        public MemorySegment segment() {
            return memory.segment();
        }

        @Override
        public String toString() {
            return from + " of " + memory.segment().byteSize();
        }

        @Override
        public void release() {
            assertTrue(held.remove(this), "memory is released twice");
        }
    }

    private Link link() {
        return (Link) Proxy.newProxyInstance(Link.class.getClassLoader(), new Class<?>[] { Link.class }, (proxy, method, arguments) -> {
            if (STEPS.contains(method.getName()) && ++steps == failing) {
                failed = method.getName();
                throw isLackingMemory ? new OutOfMemoryError("at step " + failing + ", " + method.getName())
                        : new IllegalStateException("at step " + failing + ", " + method.getName());
            }
            try {
                Object result = method.invoke(inner, arguments);
                // Memory of Sends ends with the link.
                return result instanceof Link.Memory memory && !method.getName().equals("takeSend") ? new Counted(method.getName(), memory)
                        : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    private void receive(String words) {
        byte[] message = Words.of(words);
        endpoint.onReceive(MemorySegment.ofArray(message), message.length, false, 0);
        inner.run();
    }

    private void replyAll() {
        for (MessageXdr call : List.copyOf(calls)) {
            int xid = ((InboundCall) call.context()).xid;
            call.beginEncoding();
            call.xdrEncodeInt(xid);
            call.xdrEncodeInt(1);
            OpaqueSegment.encode(call, xid == 1 ? Bench.data(100) : MemorySegment.ofArray(new byte[200]));
            for (int i = 0; i < 1200; i++) {
                call.xdrEncodeInt(i);
            }
            call.endEncoding();
            unheard++;
            endpoint.reply(call, success -> unheard--);
            inner.run();
        }
        calls.clear();
    }

    /** Calls with chunks of all kinds; each reply needs its Reply chunk. */
    private void talk() {
        receive("1 1 20 0  1 8 77 100 0 0 0  1 1 78 200 0 0 0  1 1 79 8000 0 0  1 0");
        receive("2 1 20 0  0  1 1 78 200 0 0 0  1 1 79 8000 0 0  2 0");
        receive("3 1 20 1  1 0 7a 10 0 0 1 c 77 100 0 0 0  0 1 1 79 8000 0 0");
        replyAll();
    }

    private void open(int n) {
        failing = n;
        Seat seat = gate.enter(null);
        assertNotNull(seat);
        inner.remote.put(0x7a, ByteBuffer.allocate(16).putInt(3).array());
        endpoint = new Endpoint(link(), new EndpointOptions(false, 1, 1, CREDITS, CREDITS, MESSAGE, 8, 8, 8, 4096),
                (xid, message) -> calls.add(message), seat);
        inner.endpoint = endpoint;
        seat.attach(inner::fail, endpoint::onMemory);
    }

    /** @return whether the step was reached */
    private boolean failAt(int n) {
        open(n);
        talk();
        boolean reached = steps >= n;
        failing = 0;
        if (inner.failure == null) {
            assertTrue(inner.sent.size() >= 3, () -> "a call of " + inner.sent.size() + " answered ones is lost, and the connection lasts");
            // All credits are there.
            for (int round = 0; round < 2 * CREDITS; round++) {
                talk();
            }
            assertEquals(null, inner.failure, "credits are lost");
        }
        inner.fail("the test is over");
        inner.run();
        assertEquals(0, unheard, "the program hears the end of each reply once");
        assertEquals(Set.of(), held, () -> "memory of the link is lost at step " + n);
        assertEquals(0, gate.counts().memory(), () -> "memory of the service is lost at step " + n);
        return reached;
    }

    /** Calls of this side, with chunks and without, and the peer's answers to all that were sent. */
    private void call() {
        for (int xid = 1; xid <= 3; xid++) {
            MessageXdr message = new MessageXdr();
            message.beginEncoding();
            message.xdrEncodeInt(xid);
            message.xdrEncodeInt(0);
            if (xid != 2) {
                OpaqueSegment.encode(message, xid == 1 ? Bench.data(5000) : MemorySegment.ofArray(new byte[5000]));
            }
            message.endEncoding();
            callers.add(new Bench.Caller());
            endpoint.call(new OutboundCall(xid, message, List.of(), xid == 2 ? 0 : 8000, false, callers.getLast()));
            inner.run();
        }
        while (!inner.sent.isEmpty()) {
            int xid = ByteBuffer.wrap(inner.sent.removeFirst().bytes()).getInt();
            receive(xid + " 1 20 0  0 0 0  " + xid + " 1");
        }
    }

    private boolean failCallAt(int n) {
        open(n);
        call();
        boolean reached = steps >= n;
        failing = 0;
        if (reached && !isLackingMemory && !failed.equals("revoke")) {
            assertEquals(null, inner.failure, "one call that cannot be made ends the connection");
            assertEquals(1, callers.stream().filter(caller -> caller.failure instanceof CallFailedException).count());
        }
        if (inner.failure == null) {
            int before = callers.size();
            for (int round = 0; round < 2 * CREDITS; round++) {
                call();
            }
            assertTrue(callers.stream().skip(before).allMatch(caller -> caller.answer != null), "credits are lost");
        }
        inner.fail("the test is over");
        inner.run();
        for (Bench.Caller caller : callers) {
            assertEquals(1, caller.heard, () -> "a caller hears it not once when step " + n + " fails, " + failed);
        }
        assertEquals(Set.of(), held, () -> "memory of the link is lost at step " + n);
        assertTrue(inner.opened.stream().allMatch(opened -> opened.revoked), () -> "memory stays open to the peer at step " + n);
        return reached;
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldTellEachCallerOnceWhateverStepFails(boolean lackingMemory) {
        int n = 0;
        FaultyLinkTest each;
        do {
            n++;
            each = new FaultyLinkTest();
            each.isLackingMemory = lackingMemory;
        } while (each.failCallAt(n));
        assertTrue(n > 12, "only " + n + " steps");
    }

    @Test
    void shouldGiveAllBackWhateverStepFails() {
        int n = 1;
        while (new FaultyLinkTest().failAt(n)) {
            n++;
        }
        assertTrue(n > 15, "only " + n + " steps");
    }
}
