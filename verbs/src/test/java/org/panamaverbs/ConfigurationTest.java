package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.spi.VerbsProvider;

/**
 * The sources of settings and the choice of a provider, with providers that only this test's class loader finds. The effect of the
 * environment and the working directory is tested in a Java of its own. All of a test runs on one thread, whose context class
 * loader it sets.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SAME_THREAD)
final class ConfigurationTest {
    private static final String COLOUR = "panamaverbs.fake.colour";

    @TempDir
    Path directory;

    private ClassLoader usual;
    private URLClassLoader loader;

    /** A provider that can be found but has no devices. */
    public static class Fake implements VerbsProvider {
        static final Setting<String> SETTING = Setting.choice(COLOUR, "red", "A colour", "red", "green", "blue", "grey");

        /** Found by name. */
        public Fake() {
        }

        @Override
        public String name() {
            return "fake";
        }

        @Override
        public int preference() {
            return 1000;
        }

        @Override
        public List<Setting<?>> settings() {
            return List.of(SETTING);
        }

        @Override
        public Availability availability(Configuration configuration) {
            return new Availability(true, "there is always a fake");
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
                    System.setProperty("closed.by.fake", "yes");
                }
            };
        }
    }

    /** A provider that is never available but would be preferred. */
    public static final class Missing extends Fake {
        /** Found by name. */
        public Missing() {
        }

        @Override
        public String name() {
            return "missing";
        }

        @Override
        public int preference() {
            return 2000;
        }

        @Override
        public List<Setting<?>> settings() {
            return List.of();
        }

        @Override
        public Availability availability(Configuration configuration) {
            return new Availability(false, "install libmissing");
        }
    }

    @BeforeEach
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SAME_THREAD)
    void hidesTheFakesInALoaderOfItsOwn() throws IOException {
        usual = Thread.currentThread().getContextClassLoader();
        services(Fake.class.getName(), Missing.class.getName());
        loader = new URLClassLoader(new URL[] { url(directory) }, ConfigurationTest.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
    }

    private void services(String... classes) throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(VerbsProvider.class.getName()), String.join("\n", classes) + "\n");
    }

    private static URL url(Path directory) throws MalformedURLException {
        return URI.create("file:" + directory.toAbsolutePath() + "/").toURL();
    }

    @AfterEach
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SAME_THREAD)
    void restoresEverything() throws IOException {
        Thread.currentThread().setContextClassLoader(usual);
        loader.close();
        System.clearProperty(COLOUR);
        System.clearProperty("panamaverbs.nobody.knows");
        System.clearProperty("panamaverbs.nobody");
        System.clearProperty("panamaverbs.providers");
        System.clearProperty("closed.by.fake");
    }

    private static Configuration.Entry colour(Configuration configuration) {
        return configuration.entries().stream().filter(entry -> entry.setting().name().equals(COLOUR)).findFirst().orElseThrow();
    }

    @Test
    void shouldFallBackToTheDefault() {
        Configuration configuration = Configuration.load();
        assertEquals("red", configuration.get(Fake.SETTING));
        assertEquals("default", colour(configuration).source());
        assertEquals("auto", configuration.get(Configuration.PROVIDER));
        assertEquals("", configuration.get(Configuration.DEVICE));
    }

    @Test
    void shouldTakeTheFileOfTheClassPathBeforeTheDefault() throws IOException {
        Files.writeString(directory.resolve(Configuration.FILE_NAME), COLOUR + " = green \n");
        Configuration configuration = Configuration.load();
        assertEquals("green", configuration.get(Fake.SETTING));
        assertEquals(url(directory) + Configuration.FILE_NAME, colour(configuration).source());
    }

    @Test
    void shouldTakeTheSystemPropertyBeforeTheFile() throws IOException {
        Files.writeString(directory.resolve(Configuration.FILE_NAME), COLOUR + "=green\n");
        System.setProperty(COLOUR, "blue");
        Configuration configuration = Configuration.load();
        assertEquals("blue", configuration.get(Fake.SETTING));
        assertEquals("system property", colour(configuration).source());
    }

    @Test
    void shouldTakeTheBuilderBeforeTheSystemProperty() {
        System.setProperty(COLOUR, "blue");
        Configuration configuration = Configuration.builder().set(COLOUR, "green").build();
        assertEquals("green", configuration.get(Fake.SETTING));
        assertEquals("builder", colour(configuration).source());
    }

    @Test
    void shouldTakeTheLastOfSeveralFromTheBuilder() {
        assertEquals("blue", Configuration.builder().set(COLOUR, "green").set(COLOUR, "blue").build().get(Fake.SETTING));
    }

    @Test
    void shouldNotChangeOnceItIsBuilt() {
        Configuration configuration = Configuration.load();
        System.setProperty(COLOUR, "blue");
        assertEquals("red", configuration.get(Fake.SETTING));
        assertThrows(UnsupportedOperationException.class, () -> configuration.entries().clear());
    }

    @Test
    void shouldListAllSettingsSorted() {
        List<String> names = Configuration.load().entries().stream().map(entry -> entry.setting().name()).toList();
        assertTrue(names.containsAll(List.of(COLOUR, "panamaverbs.provider", "panamaverbs.device")), names::toString);
        assertEquals(names.stream().sorted().toList(), names);
    }

    private static String refusal(Executable load) {
        return assertThrows(IllegalArgumentException.class, load).getMessage();
    }

    @Test
    void shouldAskForTheNearestNameOfASettingOfTheProgram() {
        assertEquals("unknown setting \"panamaverbs.fake.color\" (builder); did you mean " + COLOUR + "?",
                refusal(() -> Configuration.builder().set("panamaverbs.fake.color", "red").build()));
        assertEquals("unknown setting \"fake.colour\" (builder); did you mean " + COLOUR + "?",
                refusal(() -> Configuration.builder().set("fake.colour", "red").build()));
    }

    @Test
    void shouldAskForTheNearestNameOfASystemProperty() {
        System.setProperty("panamaverbs.nobody", "anything");
        assertEquals("unknown setting \"panamaverbs.nobody\" (system property); docs/reference/settings.md lists all settings",
                refusal(Configuration::load));
        System.clearProperty("panamaverbs.nobody");
        System.setProperty("panamaverbs.providers", "anything");
        assertEquals("unknown setting \"panamaverbs.providers\" (system property); did you mean panamaverbs.provider?",
                refusal(Configuration::load));
    }

    @Test
    void shouldAskForTheNearestNameOfASettingInAFile() throws IOException {
        Files.writeString(directory.resolve(Configuration.FILE_NAME), "panamaverbs.colour=green\n");
        String refused = refusal(Configuration::load);
        assertTrue(refused.startsWith("unknown setting \"panamaverbs.colour\" (")
                && refused.endsWith(Configuration.FILE_NAME + "); did you mean " + COLOUR + "?"), refused);
    }

    @Test
    void shouldWarnOnceOfEachNameThatItIgnores() throws Exception {
        runElsewhere(Files.createDirectory(directory.resolve("work")),
                Map.of("PANAMAVERBS_FAKE_COLOR", "grey", "PANAMAVERBS_NOBODY_KNOWS", "x"),
                List.of("-Dpanamaverbs.absentee.speed=high", "-Dpanamaverbs.fakes.colour=blue"));
        String said = Files.readString(errors());
        List<String> warnings = said.lines().filter(line -> line.contains("WARN")).map(line -> line.replaceFirst(".* - ", "")).sorted()
                .toList();
        assertEquals(List.of(
                "environment variable PANAMAVERBS_FAKE_COLOR is ignored: it names no setting; did you mean PANAMAVERBS_FAKE_COLOUR?",
                "environment variable PANAMAVERBS_NOBODY_KNOWS is ignored: it names no setting",
                "setting panamaverbs.absentee.speed (system property) is ignored: no provider that was found has settings panamaverbs.absentee.*",
                "setting panamaverbs.fakes.colour (system property) is ignored: no provider that was found has settings panamaverbs.fakes.*; "
                        + "did you mean panamaverbs.fake.colour?"),
                warnings, said);
    }

    @Test
    void shouldIgnoreTheSettingsOfAProviderThatIsNotThere() {
        System.setProperty("panamaverbs.nobody.knows", "anything");
        assertEquals("red default", colour(Configuration.load()).text() + " " + colour(Configuration.load()).source());
        Configuration.builder().set("panamaverbs.absent.speed", "high").build();
    }

    @Test
    void shouldTakeTypedValues() {
        assertEquals("green", Configuration.builder().set(Fake.SETTING, "green").build().get(Fake.SETTING));
        assertThrows(IllegalArgumentException.class, () -> Configuration.builder().set(Fake.SETTING, "pink"));
        Setting<Boolean> flag = Setting.flag("panamaverbs.fake.flag", true, "A flag");
        Setting<Integer> number = Setting.integer("panamaverbs.fake.number", 1, 0, 9, "A number");
        Configuration.Builder builder = Configuration.builder();
        assertThrows(IllegalArgumentException.class, () -> builder.set(number, 10));
        builder.set(flag, false).set(number, 9);
    }

    @Test
    void shouldRefuseALineOfTheFileThatNobodyDeclaresAndNameTheFile() throws IOException {
        Files.writeString(directory.resolve(Configuration.FILE_NAME), "panamaverbs.fake.color=green\n");
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, Configuration::load);
        assertTrue(refused.getMessage().contains("panamaverbs.fake.color") && refused.getMessage().contains(Configuration.FILE_NAME),
                refused.getMessage());
    }

    @Test
    void shouldRefuseAValueThatASettingDoesNotTakeAndListThoseItDoes() {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                () -> Configuration.builder().set(COLOUR, "pink").build());
        for (String part : new String[] { COLOUR, "\"pink\"", "builder", "red", "green", "blue", "grey" }) {
            assertTrue(refused.getMessage().contains(part), () -> "should mention " + part + ": " + refused.getMessage());
        }
    }

    @Test
    void shouldRefuseABadValueEvenWhereAStrongerSourceOverridesIt() {
        System.setProperty(COLOUR, "pink");
        assertThrows(IllegalArgumentException.class, () -> Configuration.builder().set(COLOUR, "red").build());
    }

    @Test
    void shouldRefuseAnUnknownProviderAndListThoseKnown() {
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "nonesuch").build();
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> Verbs.open(configuration));
        for (String part : new String[] { "\"nonesuch\"", "auto", "fake", "missing" }) {
            assertTrue(refused.getMessage().contains(part), () -> "should mention " + part + ": " + refused.getMessage());
        }
    }

    @Test
    void shouldSayWhatIsMissingForAProviderThatIsNotAvailable() {
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "missing").build();
        VerbsException refused = assertThrows(VerbsException.class, () -> Verbs.open(configuration));
        assertTrue(refused.getMessage().contains("install libmissing"), refused.getMessage());
    }

    @Test
    void shouldOpenTheProviderThatIsAskedFor() {
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "fake").build();
        try (Verbs verbs = Verbs.open(configuration)) {
            assertEquals("fake", verbs.provider());
            assertEquals(configuration, verbs.configuration());
            assertTrue(verbs.reason().contains("panamaverbs.provider") && verbs.reason().contains("there is always a fake"),
                    verbs.reason());
        }
        assertEquals("yes", System.getProperty("closed.by.fake"), "closing the verbs closes the provider's session");
    }

    @Test
    void shouldPassOverPreferredProvidersThatAreNotAvailableAndSayWhy() {
        try (Verbs verbs = Verbs.open(Configuration.load())) {
            assertEquals("fake", verbs.provider());
            assertTrue(verbs.reason().contains("missing is not available: install libmissing"), verbs.reason());
        }
    }

    @Test
    void shouldTellOfEveryProviderWhetherItIsAvailable() {
        Map<String, Verbs.ProviderStatus> found = Verbs.providers(Configuration.load()).stream()
                .collect(Collectors.toMap(Verbs.ProviderStatus::name, status -> status));
        assertTrue(found.get("fake").available());
        assertFalse(found.get("missing").available());
        assertEquals("install libmissing", found.get("missing").detail());
        List<String> names = Verbs.providers(Configuration.load()).stream().map(Verbs.ProviderStatus::name).toList();
        assertTrue(names.indexOf("missing") < names.indexOf("fake"), "the preferred first");
    }

    @Test
    void shouldNameTheDevicesThereAreWhereOneIsUnknown() {
        Configuration configuration = Configuration.builder().set("panamaverbs.provider", "fake").set("panamaverbs.device", "siw7").build();
        try (Verbs verbs = Verbs.open(configuration)) {
            IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, verbs::device);
            assertTrue(refused.getMessage().contains("siw7") && refused.getMessage().contains("fake"), refused.getMessage());
        }
    }

    @Test
    void shouldRefuseNull() {
        assertThrows(NullPointerException.class, () -> Configuration.builder().set((String) null, "x"));
        assertThrows(NullPointerException.class, () -> Configuration.builder().set(COLOUR, null));
        assertThrows(NullPointerException.class, () -> Verbs.open(null));
    }

    @Test
    void shouldTakeTheFileOfTheWorkingDirectoryBeforeThatOfTheClassPath() throws Exception {
        Path work = Files.createDirectory(directory.resolve("work"));
        Files.writeString(directory.resolve(Configuration.FILE_NAME), COLOUR + "=green\n");
        Files.writeString(work.resolve(Configuration.FILE_NAME), COLOUR + "=blue\n");
        String line = runElsewhere(work, Map.of(), List.of());
        assertTrue(line.startsWith("blue ") && line.endsWith(Configuration.FILE_NAME), line);
    }

    private String warnings() throws IOException {
        return Files.readString(errors()).lines().filter(line -> line.contains("WARN")).map(line -> line.replaceFirst(".* - ", ""))
                .collect(Collectors.joining("\n"));
    }

    private Path settingsOf(Path work) throws IOException {
        Files.writeString(directory.resolve(Configuration.FILE_NAME), COLOUR + "=green\n");
        return Files.writeString(Files.createDirectory(work).resolve(Configuration.FILE_NAME), COLOUR + "=blue\n");
    }

    @ParameterizedTest
    @ValueSource(strings = { "rw-rw-r--", "rw-r--rw-", "rw-rw-rw-" })
    void shouldIgnoreAFileThatOthersMayWriteAndSaySoOnce(String mode) throws Exception {
        Path work = directory.resolve("work");
        Path file = settingsOf(work);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        assertTrue(runElsewhere(work, Map.of(), List.of()).startsWith("green "), "that of the class path counts");
        assertEquals("settings file " + file + " is ignored: its mode " + mode + " lets other users change it; chmod go-w " + file,
                warnings());
    }

    @Test
    void shouldNotTakeThatFileFromTheClassPathEither() throws Exception {
        Path file = Files.writeString(directory.resolve(Configuration.FILE_NAME), COLOUR + "=blue\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertEquals("red default", runElsewhere(directory, Map.of(), List.of()));
    }

    @Test
    void shouldIgnoreAFileOfAnotherUserAndSaySoOnce() throws Exception {
        Path work = directory.resolve("work");
        Path file = settingsOf(work);
        giveAway(file);
        assertTrue(runElsewhere(work, Map.of(), List.of()).startsWith("green "), "that of the class path counts");
        assertEquals("settings file " + file + " is ignored: it belongs to user nobody; remove it, or make it yours by chown", warnings());
    }

    /** A program that opens a pipe waits for a writer, without a word. */
    @Test
    void shouldIgnoreAPipeAndSaySoOnce() throws Exception {
        Path work = directory.resolve("work");
        Path file = settingsOf(work);
        Files.delete(file);
        assertEquals(0, new ProcessBuilder("mkfifo", "-m", "600", file.toString()).start().waitFor());
        assertTrue(runElsewhere(work, Map.of(), List.of()).startsWith("green "), "that of the class path counts");
        assertEquals("settings file " + file + " is ignored: it is no regular file", warnings());
    }

    @Test
    void shouldIgnoreALongFileAndSaySoOnce() throws Exception {
        Path work = directory.resolve("work");
        Path file = settingsOf(work);
        Files.writeString(file, "#".repeat(1 << 20), StandardOpenOption.APPEND);
        assertTrue(runElsewhere(work, Map.of(), List.of()).startsWith("green "), "that of the class path counts");
        assertEquals("settings file " + file + " is ignored: it has " + Files.size(file) + " bytes, more than 1 MiB", warnings());
    }

    /** It could lead to another file of ours. */
    @Test
    void shouldIgnoreALinkOfAnotherUser() throws Exception {
        Path work = directory.resolve("work");
        Path file = settingsOf(work);
        Path link = Files.createSymbolicLink(Files.createDirectory(directory.resolve("elsewhere")).resolve(Configuration.FILE_NAME), file);
        giveAway(link);
        assertTrue(runElsewhere(link.getParent(), Map.of(), List.of()).startsWith("green "), "that of the class path counts");
        String said = warnings();
        assertTrue(said.contains("it belongs to user nobody"), said);
    }

    private static void giveAway(Path file) throws IOException {
        UserPrincipal nobody = file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
        try {
            Files.getFileAttributeView(file, FileOwnerAttributeView.class, LinkOption.NOFOLLOW_LINKS).setOwner(nobody);
        } catch (FileSystemException e) {
            assumeTrue(false, "only root may give files away");
        }
    }

    @Test
    void shouldTakeTheEnvironmentBeforeTheFile() throws Exception {
        Path work = Files.createDirectory(directory.resolve("work"));
        Files.writeString(work.resolve(Configuration.FILE_NAME), COLOUR + "=blue\n");
        assertEquals("grey environment", runElsewhere(work, Map.of("PANAMAVERBS_FAKE_COLOUR", "grey"), List.of()));
    }

    @Test
    void shouldTakeTheSystemPropertyBeforeTheEnvironment() throws Exception {
        Path work = Files.createDirectory(directory.resolve("work"));
        assertEquals("green system property",
                runElsewhere(work, Map.of("PANAMAVERBS_FAKE_COLOUR", "grey"), List.of("-D" + COLOUR + "=green")));
    }

    @Test
    void shouldIgnoreAnEnvironmentVariableThatNobodyDeclares() throws Exception {
        Path work = Files.createDirectory(directory.resolve("work"));
        assertEquals("red default", runElsewhere(work, Map.of("PANAMAVERBS_NOBODY_KNOWS", "x", "PANAMAVERBS_HOME", "y"), List.of()));
    }

    private Path errors() {
        return directory.resolve("errors");
    }

    /** Loads the configuration twice in another Java and gives back what that printed: the colour and its source. */
    private String runElsewhere(Path work, Map<String, String> environment, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(path -> Path.of(path).toAbsolutePath().toString()).collect(Collectors.joining(File.pathSeparator))
                        + File.pathSeparator + directory.toAbsolutePath()));
        command.addAll(arguments);
        command.add(Elsewhere.class.getName());
        ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile()).redirectError(errors().toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            if (!process.waitFor(180, TimeUnit.SECONDS)) {
                fail("the other Java does not end");
            }
            return new String(process.getInputStream().readAllBytes()).strip();
        } finally {
            process.destroyForcibly();
        }
    }

    /** The program of the other Java. */
    static final class Elsewhere {
        private Elsewhere() {
        }

        public static void main(String[] arguments) {
            try {
                Configuration.load();
                Configuration configuration = Configuration.load();
                System.out.println(colour(configuration).text() + " " + colour(configuration).source());
            } catch (IllegalArgumentException e) {
                System.out.println("refused: " + e.getMessage());
            }
        }
    }
}
