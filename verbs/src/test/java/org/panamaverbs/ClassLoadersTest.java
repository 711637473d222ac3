package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.panamaverbs.spi.VerbsProvider;

/** A JVM with two copies of the API, as with the agent of NIO and a web application that has its own, and threads without a class loader. */
class ClassLoadersTest {
    @TempDir
    private Path directory;
    private URLClassLoader other;
    private ClassLoader usual;

    /** A provider of the other copy. */
    public static final class Present implements VerbsProvider {
        /** For the service loader. */
        public Present() {
            // There is nothing to prepare.
        }

        @Override
        public String name() {
            return "present";
        }

        @Override
        public int preference() {
            return 1;
        }

        @Override
        public List<Setting<?>> settings() {
            return List.of();
        }

        @Override
        public Availability availability(Configuration configuration) {
            return new Availability(true, "");
        }

        @Override
        public Session open(Configuration configuration) {
            throw new UnsupportedOperationException();
        }
    }

    /** A program in the other loader: the names of all providers, and the value of the setting of the device. */
    public static final class Program implements Supplier<List<String>> {
        /** For the other loader. */
        public Program() {
            // There is nothing to prepare.
        }

        @Override
        public List<String> get() {
            Configuration configuration = Configuration.load();
            List<String> found = new ArrayList<>(Verbs.providers(configuration).stream().map(Verbs.ProviderStatus::name).toList());
            found.add(configuration.get(Configuration.DEVICE));
            return found;
        }
    }

    @BeforeEach
    void loadAnotherCopy() throws IOException {
        usual = Thread.currentThread().getContextClassLoader();
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(VerbsProvider.class.getName()), Present.class.getName());
        Files.writeString(directory.resolve(Configuration.FILE_NAME), "panamaverbs.device=of-the-copy");
        List<URL> urls = new ArrayList<>(List.of(directory.toUri().toURL()));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        other = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    @AfterEach
    void restore() throws IOException {
        Thread.currentThread().setContextClassLoader(usual);
        other.close();
    }

    @SuppressWarnings("unchecked")
    private List<String> foundByTheOther() throws ReflectiveOperationException {
        return ((Supplier<List<String>>) other.loadClass(Program.class.getName()).getConstructor().newInstance()).get();
    }

    @Test
    void shouldLeaveTheProvidersOfAnotherCopyToIt() {
        List<Verbs.ProviderStatus> before = Verbs.providers(Configuration.load());
        Thread.currentThread().setContextClassLoader(other);
        assertEquals(before, Verbs.providers(Configuration.builder().build()));
    }

    @Test
    void shouldFindProvidersAndTheFileFromAThreadWithoutALoader() throws ReflectiveOperationException {
        Thread.currentThread().setContextClassLoader(null);
        assertEquals(List.of("present", "of-the-copy"), foundByTheOther());
    }

    @Test
    void shouldFindProvidersAndTheFileFromAThreadWithTheLoaderOfAnotherCopy() throws ReflectiveOperationException {
        assertTrue(foundByTheOther().containsAll(List.of("present", "of-the-copy")));
    }
}
