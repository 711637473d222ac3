package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.spi.VerbsProvider;

/**
 * Providers that are broken, each in a way of its own, beside one that works: that one is found and used, and the others are
 * named. All of a test runs on one thread, whose context class loader it sets.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SAME_THREAD)
class ProvidersTest {
    private static final List<Class<?>> BROKEN = List.of(Unmade.class, Nameless.class, Unlinked.class, Stolen.class, Automatic.class,
            Second.class, Unset.class);

    @TempDir
    Path directory;

    private ClassLoader usual;
    private URLClassLoader loader;

    /** Works. */
    public static class Sound implements VerbsProvider {
        /** Found by name. */
        public Sound() {
        }

        @Override
        public String name() {
            return "sound";
        }

        @Override
        public int preference() {
            return 1;
        }

        @Override
        public List<Setting<?>> settings() {
            return List.of(Setting.flag("panamaverbs." + settingsPrefix() + ".flag", true, "A flag"));
        }

        @Override
        public Availability availability(Configuration configuration) {
            return new Availability(true, "always");
        }

        @Override
        public Session open(Configuration configuration) {
            return new Session() {
                @Override
                public List<Device> devices() {
                    return List.of();
                }

                @Override
                public void close() {
                }
            };
        }
    }

    /** Cannot be made. */
    public static final class Unmade extends Sound {
        /** Fails. */
        public Unmade() {
            throw new IllegalStateException("no such thing as unmade");
        }
    }

    /** Fails when asked for its name. */
    public static final class Nameless extends Sound {
        @Override
        public String name() {
            throw new IllegalStateException("it has none");
        }
    }

    /** Was built for another version of a class. */
    public static final class Unlinked extends Sound {
        @Override
        public String name() {
            return "unlinked";
        }

        @Override
        public List<Setting<?>> settings() {
            throw new NoSuchMethodError("gone");
        }
    }

    /** Has a setting of another. */
    public static final class Stolen extends Sound {
        @Override
        public String name() {
            return "stolen";
        }

        @Override
        public List<Setting<?>> settings() {
            return List.of(Setting.flag("panamaverbs.sound.other", true, "A flag"));
        }
    }

    /** Takes the name that stands for the choice. */
    public static final class Automatic extends Sound {
        @Override
        public String name() {
            return "auto";
        }
    }

    /** Takes the name of another. */
    public static final class Second extends Sound {
    }

    /** Takes the settings of another. */
    public static final class Unset extends Sound {
        @Override
        public String name() {
            return "un-set";
        }

        @Override
        public String settingsPrefix() {
            return "sound";
        }
    }

    /** Is preferred, and fails when asked whether it is available. */
    public static final class Undecided extends Sound {
        @Override
        public String name() {
            return "undecided";
        }

        @Override
        public int preference() {
            return 9;
        }

        @Override
        public Availability availability(Configuration configuration) {
            throw new UnsatisfiedLinkError("no libundecided");
        }
    }

    /** Gives no answer when asked whether it is available. */
    public static final class Mute extends Sound {
        @Override
        public String name() {
            return "mute";
        }

        @Override
        public int preference() {
            return 0;
        }

        @Override
        public Availability availability(Configuration configuration) {
            return null;
        }
    }

    @BeforeEach
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SAME_THREAD)
    void offer() throws IOException {
        usual = Thread.currentThread().getContextClassLoader();
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(VerbsProvider.class.getName()),
                Sound.class.getName() + "\norg.panamaverbs.NotThere\n" + ProvidersTest.class.getName() + "\n"
                        + BROKEN.stream().map(Class::getName).collect(Collectors.joining("\n")) + "\n" + Undecided.class.getName() + "\n"
                        + Mute.class.getName() + "\n");
        loader = new URLClassLoader(new URL[] { directory.toUri().toURL() }, ProvidersTest.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
    }

    @AfterEach
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SAME_THREAD)
    void withdraw() throws IOException {
        Thread.currentThread().setContextClassLoader(usual);
        loader.close();
    }

    @Test
    void shouldUseTheProviderThatWorks() {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.sound.flag", "off").build())) {
            assertEquals("sound", verbs.provider());
            assertTrue(
                    verbs.reason().contains(
                            "undecided is not available: it failed when asked: java.lang.UnsatisfiedLinkError: no " + "libundecided"),
                    verbs::reason);
        }
    }

    @Test
    void shouldNameEveryProviderThatCannotBeUsed() {
        List<Verbs.ProviderStatus> all = Verbs.providers(Configuration.load());
        assertEquals("undecided", all.get(0).name());
        assertEquals("sound", all.get(1).name());
        assertTrue(all.get(1).available());
        String refused = all.stream().skip(2).peek(status -> assertFalse(status.available()))
                .map(status -> status.name() + ": " + status.detail()).collect(Collectors.joining("\n"));
        for (String part : new String[] { "mute: it failed when asked: java.lang.NullPointerException: availability() gave null",
                "org.panamaverbs.NotThere", "ProvidersTest not a subtype", "no such thing as unmade", "it has none", "unlinked: ", "gone",
                "panamaverbs.sound.other does not start with panamaverbs.stolen.", "\"auto\" is no name of a provider",
                "sound: " + Second.class.getName() + ": provider " + Sound.class.getName() + " has that name already",
                "un-set: " + Unset.class.getName() + ": provider sound has the settings panamaverbs.sound.* already" }) {
            assertTrue(refused.contains(part), () -> "should contain " + part + ":\n" + refused);
        }
        assertEquals(all.size(), Arrays.stream(refused.split("\n")).distinct().count() + 2, "each once, though two class loaders see them");
    }

    @Test
    void shouldSayWhyAProviderThatIsAskedForCannotBeUsed() {
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "stolen").build();
        IllegalArgumentException unknown = assertThrows(IllegalArgumentException.class, () -> Verbs.open(configuration));
        assertTrue(unknown.getMessage().contains("unknown provider \"stolen\"")
                && unknown.getMessage().contains("provider stolen cannot be used: "), unknown::getMessage);
    }
}
