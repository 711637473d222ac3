package org.panamaverbs.nio;

import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes {@link VerbsSelectorProvider} the JVM's provider: {@code -javaagent:panama-verbs-nio.jar=10.1.0.0/16}. The text after {@code =} is
 * the value of the setting {@code panamaverbs.nio.addresses}; without it, the setting counts as it stands elsewhere.
 */
public final class NioAgent {
    private static final Logger LOG = LoggerFactory.getLogger(NioAgent.class);
    private static final String PROVIDER = "java.nio.channels.spi.SelectorProvider";

    private NioAgent() {
    }

    /**
     * Called by the JVM before the program's {@code main}.
     *
     * @param arguments       networks and ports, or {@code null}
     * @param instrumentation shows the JDK's own provider to this module
     */
    public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
        instrumentation.redefineModule(Object.class.getModule(), Set.of(), Map.of(JdkProvider.PACKAGE, Set.of(NioAgent.class.getModule())),
                Map.of(), Set.of(), Map.of());
        try {
            choose(arguments);
        } catch (IllegalArgumentException | IllegalStateException e) {
            // An exception of an agent makes the JVM abort, with pages that hide the reason.
            refuse(e.getMessage());
        } catch (LinkageError e) {
            refuse("the copies of panama-verbs at " + copies() + " are of different versions: " + e);
        }
    }

    private static void refuse(@Nullable String reason) {
        System.err.println("panama-verbs-nio: " + reason);
        System.exit(1);
    }

    /** The class path comes before the agent: modules that the program has run in place of the agent's. */
    private static List<URL> copies() {
        return NioAgent.class.getClassLoader().resources("org/panamaverbs/Configuration.class").toList();
    }

    private static void choose(@Nullable String arguments) {
        List<URL> copies = copies();
        if (copies.size() > 1) {
            LOG.warn("panama-verbs is on the class path and in the agent: modules of the class path are used, so both must be of the same "
                    + "version: {}", copies);
        }
        if (arguments != null && !arguments.isEmpty()) {
            System.setProperty(NioSettings.ADDRESSES.name(), arguments);
        }
        // A wrong value ends the JVM here, and not the first channel.
        Configuration.load();
        String other = System.getProperty(PROVIDER, VerbsSelectorProvider.class.getName());
        if (!other.equals(VerbsSelectorProvider.class.getName())) {
            throw new IllegalStateException("the property " + PROVIDER + " names " + other
                    + ": a JVM has one provider of channels, so take " + "out the property or the agent");
        }
        System.setProperty(PROVIDER, other);
    }
}
