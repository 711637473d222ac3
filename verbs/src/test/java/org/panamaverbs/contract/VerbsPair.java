package org.panamaverbs.contract;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;

/** The pair that the suite tests: a provider that connects and one that listens, which may be the same. */
public interface VerbsPair {
    /**
     * The two ends have one configuration, and the server listens on the loopback address.
     *
     * @param name     for messages
     * @param settings of both ends, by their full names
     * @return the pair
     */
    static VerbsPair of(String name, Map<String, String> settings) {
        return of(name, settings, settings);
    }

    /**
     * Each end has its own configuration, and the server listens on the loopback address.
     *
     * @param name   for messages
     * @param client the settings of the end that connects
     * @param server the settings of the end that listens
     * @return the pair
     */
    static VerbsPair of(String name, Map<String, String> client, Map<String, String> server) {
        return new VerbsPair() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Verbs openClient() {
                return open(client);
            }

            @Override
            public Verbs openServer() {
                return open(server);
            }

            private Verbs open(Map<String, String> settings) {
                Configuration.Builder builder = Configuration.builder();
                settings.forEach(builder::set);
                return Verbs.open(builder.build());
            }
        };
    }

    /** The same pair, but programs spin on {@code poll} where they otherwise wait in {@code await}. */
    default VerbsPair spinning() {
        VerbsPair pair = this;
        return new VerbsPair() {
            @Override
            public String name() {
                return pair.name() + ", spinning";
            }

            @Override
            public Verbs openClient() {
                return pair.openClient();
            }

            @Override
            public Verbs openServer() {
                return pair.openServer();
            }

            @Override
            public InetSocketAddress listenAddress() {
                return pair.listenAddress();
            }

            @Override
            public Optional<String> unavailable() {
                return pair.unavailable();
            }

            @Override
            public Optional<String> excuse(String test) {
                return pair.excuse(test);
            }

            @Override
            public boolean spins() {
                return true;
            }
        };
    }

    /**
     * This pair, for which some tests do not hold.
     *
     * @param reasons why, by the test as in {@link #excuse}, or by the beginning of that
     */
    default VerbsPair excusing(Map<String, String> reasons) {
        VerbsPair pair = this;
        return new VerbsPair() {
            @Override
            public String name() {
                return pair.name();
            }

            @Override
            public Verbs openClient() {
                return pair.openClient();
            }

            @Override
            public Verbs openServer() {
                return pair.openServer();
            }

            @Override
            public InetSocketAddress listenAddress() {
                return pair.listenAddress();
            }

            @Override
            public Optional<String> unavailable() {
                return pair.unavailable();
            }

            @Override
            public Optional<String> excuse(String test) {
                return reasons.entrySet().stream().filter(entry -> test.startsWith(entry.getKey())).map(Map.Entry::getValue).findFirst()
                        .or(() -> pair.excuse(test));
            }

            @Override
            public boolean spins() {
                return pair.spins();
            }
        };
    }

    /** Its name in messages. */
    String name();

    /** Opens the end that connects; a test closes it. */
    Verbs openClient();

    /** Opens the end that listens; a test closes it. It may be the object that {@link #openClient} gave last, if both must be one. */
    Verbs openServer();

    /** The address that the server listens on: one that the client reaches, with port 0. */
    default InetSocketAddress listenAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Why the pair cannot be tested here: no device, no driver, not that system. Everything is then skipped. */
    default Optional<String> unavailable() {
        return Optional.empty();
    }

    /**
     * Why one test does not hold for this pair: a known departure of a driver or device.
     *
     * @param test as {@code HostilePeerContract.shouldRefuseAWrite [2] NEIGHBOURING_KEY}: the method, and what is displayed
     * @return the reason why it is skipped, or empty
     */
    default Optional<String> excuse(String test) {
        return Optional.empty();
    }

    /** Whether helpers spin on {@code poll} instead of waiting in {@code await}. */
    default boolean spins() {
        return false;
    }
}
