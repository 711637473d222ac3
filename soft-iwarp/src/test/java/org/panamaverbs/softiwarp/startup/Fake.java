package org.panamaverbs.softiwarp.startup;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Stands for an object whose calls a test answers. */
final class Fake<T> {
    /** Answers a call. */
    interface Answer {
        Object to(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private final T proxy;

    Fake(Class<T> type, Answer answer) {
        proxy = type.cast(Proxy.newProxyInstance(Fake.class.getClassLoader(), new Class<?>[] { type }, (self, method, arguments) -> {
            try {
                return answer.to(method, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    T proxy() {
        return proxy;
    }
}
