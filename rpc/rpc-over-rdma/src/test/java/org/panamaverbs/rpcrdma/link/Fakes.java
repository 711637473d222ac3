package org.panamaverbs.rpcrdma.link;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.panamaverbs.QueuePair;

/** Interfaces of verbs that are too long to be implemented whole. */
final class Fakes {
    private Fakes() {
    }

    /** What a method does. */
    interface Answer {
        Object to(String method, Object[] arguments);
    }

    static QueuePair queuePair(Answer answer) {
        return of(QueuePair.class, answer);
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
            return method.isDefault() ? InvocationHandler.invokeDefault(proxy, method, arguments) : answer.to(method.getName(), arguments);
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, handler));
    }
}
