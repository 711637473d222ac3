package org.panamaverbs;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.spi.DeclaredSettings;
import org.panamaverbs.spi.FileTrust;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The effective settings. For each one the first source that names it counts: the builder, the system property of its name, the
 * environment variable of its {@linkplain Setting#environmentName() name}, the file {@value #FILE_NAME} in the working directory (or,
 * if there is none, on the class path), the default. A file in the working directory that other users may have written, that is no regular
 * file or that is longer than 1 MiB is ignored with a warning.
 *
 * <p>All names of the builder and of the file are checked, and of the system properties those that start with {@code panamaverbs.}. A name
 * that neither the API nor a provider declares is an error, as is a value that a setting does not take. Settings of a provider that was not
 * found are ignored with a warning, as are environment variables that start with {@code PANAMAVERBS_} and name no setting. A process logs
 * each of these warnings once.
 */
public final class Configuration {
    /** The file of settings. */
    public static final String FILE_NAME = "panama-verbs.properties";

    /** Which provider to use. */
    public static final Setting<String> PROVIDER = Setting.text("panamaverbs.provider", "auto", "auto | rdma-core | soft-iwarp",
            "The provider; auto takes an RDMA device if a connection over it is possible, else soft-iwarp");

    /** Which of the provider's devices {@link Verbs#device()} is. */
    public static final Setting<String> DEVICE = Setting.text("panamaverbs.device", "", "the name of a device, or empty",
            "The device that Verbs.device() opens; empty: the first active one");

    /** Whether the process publishes its statistics. */
    public static final Setting<Boolean> STATISTICS = Setting.flag("panamaverbs.statistics", false,
            "Write statistics, connections and errors once a second into a file of this user, for pverbs stat");

    /** The most bytes of the file of settings: 1 MiB. */
    private static final int LONGEST_FILE = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(Configuration.class);
    private static final String ENVIRONMENT = "environment";
    private static final String VARIABLE_PREFIX = "PANAMAVERBS_";
    /** The warnings that were logged. */
    private static final Set<String> WARNINGS = ConcurrentHashMap.newKeySet();

    /** The settings that belong to no provider. */
    private static final List<Setting<?>> OWN = List.of(PROVIDER, DEVICE, STATISTICS);

    /**
     * One setting as it stands.
     *
     * @param setting the setting
     * @param text    its text
     * @param source  the source of its value: "builder", "system property", "environment", the file's name, or "default"
     */
    public record Entry(Setting<?> setting, String text, String source) {
    }

    /** By name, sorted. */
    private final Map<String, Entry> entries;

    private Configuration(Map<String, Entry> entries) {
        this.entries = entries;
    }

    /**
     * The configuration without any setting of the program's own.
     *
     * @return the settings that system properties, environment, file and defaults give
     * @throws IllegalArgumentException for an unknown setting or a value that it does not take
     */
    public static Configuration load() {
        return builder().build();
    }

    /**
     * Starts a configuration with settings of the program's own.
     *
     * @return a builder without any
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The value of a setting.
     *
     * @param setting a setting of the API or of a provider
     * @param <T>     its type
     * @return its value
     */
    public <T> T get(Setting<T> setting) {
        Entry entry = entries.get(setting.name());
        return setting.parser().apply(entry == null ? setting.defaultText() : entry.text());
    }

    /** {@return all settings as they stand, sorted by name; an unmodifiable list} */
    public List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    /** Collects a program's own settings. */
    public static final class Builder {
        private final Map<String, String> own = new LinkedHashMap<>();

        private Builder() {
        }

        /**
         * Sets one; it counts before every other source.
         *
         * @param name  the setting's full name
         * @param value its text
         * @return this
         */
        public Builder set(String name, String value) {
            own.put(Objects.requireNonNull(name), Objects.requireNonNull(value));
            return this;
        }

        /**
         * Sets one; it counts before every other source.
         *
         * @param setting the setting
         * @param value   a value that its text gives back
         * @param <T>     its type
         * @return this
         */
        public <T> Builder set(Setting<T> setting, T value) {
            String text = value instanceof Boolean on ? on ? "on" : "off" : value.toString();
            if (!setting.parser().apply(text).equals(value)) {
                throw new IllegalArgumentException(
                        "setting " + setting.name() + " does not take " + value + "; it takes " + setting.values());
            }
            return set(setting.name(), text);
        }

        /**
         * Gathers all sources.
         *
         * @return the configuration
         * @throws IllegalArgumentException for an unknown setting or a value that it does not take
         */
        public Configuration build() {
            Map<String, Setting<?>> settings = knownSettings();
            Map<String, Entry> entries = new TreeMap<>();
            settings.forEach((name, setting) -> entries.put(name, new Entry(setting, setting.defaultText(), "default")));
            // The weakest source first: a stronger one overwrites it.
            file().forEach((source, texts) -> put(entries, settings, source, texts));
            put(entries, settings, ENVIRONMENT, environment(settings));
            put(entries, settings, "system property", systemProperties());
            put(entries, settings, "builder", own);
            return new Configuration(entries);
        }

        private static void put(Map<String, Entry> entries, Map<String, Setting<?>> settings, String source, Map<String, String> texts) {
            texts.forEach((name, text) -> {
                Setting<?> setting = settings.get(name);
                if (setting == null) {
                    onUnknown(name, source, settings);
                    return;
                }
                try {
                    var _ = setting.parser().apply(text);
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(
                            "setting " + name + " (" + source + "): \"" + text + "\" " + e.getMessage() + "; it takes " + setting.values(),
                            e);
                }
                entries.put(name, new Entry(setting, text, source));
            });
        }

        /**
         * A name of no setting: an error if it is one of the API's or of a provider that is there, since it is misspelt. The settings of
         * a provider that is not there do no harm; nor does an environment variable, which other programs may have set.
         */
        private static void onUnknown(String name, String source, Map<String, Setting<?>> settings) {
            if (source.equals(ENVIRONMENT)) {
                NearestNames variables = new NearestNames('_',
                        settings.values().stream().map(setting -> setting.environmentName().substring(VARIABLE_PREFIX.length())).toList());
                warnOnce("environment variable " + name + " is ignored: it names no setting"
                        + variables.question(VARIABLE_PREFIX, name.substring(VARIABLE_PREFIX.length())));
                return;
            }
            NearestNames names = new NearestNames('.',
                    settings.keySet().stream().map(other -> other.substring(Setting.PREFIX.length())).toList());
            boolean prefixed = name.startsWith(Setting.PREFIX);
            String rest = prefixed ? name.substring(Setting.PREFIX.length()) : name;
            String question = names.question(Setting.PREFIX, rest);
            if (prefixed && !names.hasSectionOf(rest)) {
                warnOnce("setting " + name + " (" + source + ") is ignored: no provider that was found has settings " + Setting.PREFIX
                        + rest.substring(0, rest.indexOf('.') + 1) + "*" + question);
            } else {
                throw new IllegalArgumentException("unknown setting \"" + name + "\" (" + source + ")"
                        + (question.isEmpty() ? "; docs/reference/settings.md lists all settings" : question));
            }
        }

        /** A program that loads its configuration again and again warns once. */
        private static void warnOnce(String warning) {
            if (WARNINGS.add(warning)) {
                LOG.warn(warning);
            }
        }

        private static Map<String, Setting<?>> knownSettings() {
            Map<String, Setting<?>> settings = new TreeMap<>();
            OWN.forEach(setting -> settings.put(setting.name(), setting));
            for (Providers.Usable provider : Providers.find().usable()) {
                provider.settings().forEach(setting -> settings.put(setting.name(), setting));
            }
            for (ClassLoader loader : Providers.loaders()) {
                declare(loader, settings);
            }
            return settings;
        }

        /** A module that fails to load does not keep a program from using the others. */
        private static void declare(ClassLoader loader, Map<String, Setting<?>> settings) {
            try {
                for (DeclaredSettings module : ServiceLoader.load(DeclaredSettings.class, loader)) {
                    module.settings().forEach(setting -> settings.putIfAbsent(setting.name(), setting));
                }
            } catch (RuntimeException | ServiceConfigurationError | LinkageError e) {
                warnOnce("settings of a module are not known: " + e);
            }
        }

        private static Map<String, String> systemProperties() {
            Map<String, String> found = new TreeMap<>();
            Properties properties = System.getProperties();
            properties.stringPropertyNames().stream().filter(name -> name.startsWith(Setting.PREFIX))
                    .forEach(name -> found.put(name, properties.getProperty(name)));
            return found;
        }

        private static Map<String, String> environment(Map<String, Setting<?>> settings) {
            Map<String, String> names = new TreeMap<>();
            settings.values().forEach(setting -> names.put(setting.environmentName(), setting.name()));
            Map<String, String> found = new TreeMap<>();
            System.getenv().forEach((variable, text) -> {
                if (variable.startsWith(VARIABLE_PREFIX)) {
                    found.put(names.getOrDefault(variable, variable), text);
                }
            });
            return found;
        }

        /** The file's settings under the file's name, or nothing if there is no file. */
        private static Map<String, Map<String, String>> file() {
            Path path = Path.of(FILE_NAME).toAbsolutePath();
            URL resource = null;
            if (!Files.exists(path) || !isReadable(path)) {
                resource = onClassPath();
                // The working directory may be on the class path.
                if (resource == null || resource.getPath().equals(path.toUri().getRawPath())) {
                    return Map.of();
                }
            }
            String source = resource == null ? path.toString() : resource.toString();
            Properties properties = new Properties();
            try (InputStream stream = resource == null ? Files.newInputStream(path) : resource.openStream()) {
                properties.load(new ByteArrayInputStream(stream.readNBytes(LONGEST_FILE)));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + source + ": " + e.getMessage(), e);
            }
            Map<String, String> texts = new TreeMap<>();
            properties.stringPropertyNames().forEach(name -> texts.put(name, properties.getProperty(name).strip()));
            return Map.of(source, texts);
        }

        private static boolean isReadable(Path path) {
            Optional<String> objection;
            try {
                objection = objection(path);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + path + ": " + e.getMessage(), e);
            }
            objection.ifPresent(why -> warnOnce("settings file " + path + " is ignored: " + why));
            return objection.isEmpty();
        }

        /** A pipe or a device may never end, and a stranger could choose what this program writes, and whom it serves. */
        private static Optional<String> objection(Path path) throws IOException {
            if (!Files.isRegularFile(path)) {
                return Optional.of("it is no regular file");
            }
            long size = Files.size(path);
            return size > LONGEST_FILE ? Optional.of("it has " + size + " bytes, more than 1 MiB") : FileTrust.objectionToContent(path);
        }

        private static @Nullable URL onClassPath() {
            return Stream.of(Thread.currentThread().getContextClassLoader(), Configuration.class.getClassLoader()).filter(Objects::nonNull)
                    .map(loader -> loader.getResource(FILE_NAME)).filter(Objects::nonNull).findFirst().orElse(null);
        }
    }
}
