package org.panamaverbs.rpcrdma.link;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.panamaverbs.QueuePair;
import org.panamaverbs.cm.Connection;

/** Interfaces of verbs that are too long to be implemented whole. */
final class Fakes {
    static final InetSocketAddress PEER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final String EXTENSION = "extension";

    private Fakes() {
    }

    /** What a method does. */
    interface Answer {
        Object to(String method, Object[] arguments);
    }

    /** Its connection is there. */
    static QueuePair queuePair(Answer answer) {
        Connection connection = of(Connection.class, (method, arguments) -> switch (method) {
            case "privateData" -> new byte[0];
            case "localAddress", "remoteAddress" -> PEER;
            case "close" -> null;
            default -> throw new AssertionError(method);
        });
        return of(QueuePair.class,
                (method, arguments) -> method.equals(EXTENSION) ? Optional.of(connection) : answer.to(method, arguments));
    }

    /** Methods that an interface implements itself stay as they are. */
    static <T> T of(Class<T> type, Answer answer) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> "a fake " + type.getSimpleName();
                };
            }
            return method.isDefault() && !method.getName().equals(EXTENSION) ? InvocationHandler.invokeDefault(proxy, method, arguments)
                    : answer.to(method.getName(), arguments);
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, handler));
    }
}
