package org.panamaverbs.nio;

import java.lang.reflect.InvocationTargetException;
import java.nio.channels.spi.SelectorProvider;

/** The JDK's own provider, which has no public name. */
// Tested by NioAgentTest.
final class JdkProvider {
    static final String PACKAGE = "sun.nio.ch";

    private JdkProvider() {
    }

    static SelectorProvider find() {
        try {
            return (SelectorProvider) Class.forName(PACKAGE + ".DefaultSelectorProvider").getMethod("get").invoke(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(
                    "the JDK does not show its own provider of channels: start Java with -javaagent:panama-verbs-nio.jar "
                            + "instead of naming the provider, or add --add-exports java.base/sun.nio.ch=ALL-UNNAMED",
                    e);
        } catch (ClassNotFoundException | NoSuchMethodException | InvocationTargetException e) {
            throw new IllegalStateException(
                    "this JDK has no provider of channels that panama-verbs knows (" + e + "): it works with OpenJDK " + "22 and newer", e);
        }
    }
}
