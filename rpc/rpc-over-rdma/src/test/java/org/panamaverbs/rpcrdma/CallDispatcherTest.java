package org.panamaverbs.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.dcache.oncrpc4j.rpc.RpcAuthError;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.rpcrdma.message.MessageXdr;

/** A call that cannot be answered, in whatever way its program failed, ends its connection: else its credit would be lost. */
class CallDispatcherTest {
    private final List<Object> ended = new ArrayList<>();
    private final List<Throwable> thrown = new ArrayList<>();
    private final RpcTransport transport = (RpcTransport) Proxy.newProxyInstance(RpcTransport.class.getClassLoader(),
            new Class<?>[] { RpcTransport.class }, (proxy, method, arguments) -> {
                if (method.getName().equals("send")) {
                    throw new OutOfMemoryError("for a reply");
                }
                return method.getName().equals("toString") ? "a transport" : null;
            });

    /** As the thread of a call: nobody hears of what it throws. */
    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            thrown.add(e);
        }
    }

    static Stream<Executor> refusing() {
        return Stream.of(task -> {
            throw new RejectedExecutionException("it is shut down");
        }, task -> {
            throw new OutOfMemoryError("for a thread");
        }, task -> {
            throw new IllegalStateException("a defect");
        });
    }

    @ParameterizedTest
    @MethodSource("refusing")
    void shouldEndTheConnectionOfACallThatNoThreadTakes(Executor executor) {
        expectEnd(call -> call.reply(XdrVoid.XDR_VOID), executor);
    }

    static Stream<RpcDispatchable> failing() {
        return Stream.of(call -> {
            throw new IOException("garbage");
        }, call -> {
            throw new RpcAuthException("no such user", new RpcAuthError(1));
        }, call -> {
            throw new IllegalStateException("a defect");
        }, call -> {
            throw new OutOfMemoryError("of the program");
        });
    }

    @ParameterizedTest
    @MethodSource("failing")
    void shouldEndTheConnectionOfACallThatCannotBeAnswered(RpcDispatchable program) {
        expectEnd(program, this::run);
    }

    private void expectEnd(RpcDispatchable program, Executor executor) {
        CallDispatcher dispatcher = new CallDispatcher(transport, ended::add, Map.of(TestProgram.PROGRAM, program), executor);
        ByteBuffer call = ByteBuffer.allocate(40).putInt(7).putInt(0).putInt(2).putInt(TestProgram.PROGRAM.getNumber())
                .putInt(TestProgram.PROGRAM.getVersion()).putInt(TestProgram.NULL);
        MessageXdr message = MessageXdr.received(MemorySegment.ofArray(call.array()));
        dispatcher.onCall(7, message);
        assertEquals(List.of(), thrown);
        assertEquals(List.of(message), ended);
    }
}
