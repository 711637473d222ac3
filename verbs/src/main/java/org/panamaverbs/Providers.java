package org.panamaverbs;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.spi.VerbsProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The providers that can be found, and those that cannot be used, with the reason: a provider that fails to load, or breaks a rule of the
 * SPI, does not keep a program from using the others.
 */
final class Providers {
    private static final Logger LOG = LoggerFactory.getLogger(Providers.class);
    /** A loader may report any number of broken entries; this many in a row mean that it reports the same one for ever. */
    private static final int MOST_FAILURES = 100;

    /**
     * A provider that keeps the rules.
     *
     * @param prefix the start of the names of its settings
     */
    record Usable(VerbsProvider provider, String name, int preference, String prefix, List<Setting<?>> settings) {
        /** Whether the provider is available here; a provider that throws is not. */
        VerbsProvider.Availability availability(Configuration configuration) {
            Answer<VerbsProvider.Availability> answer = Answer
                    .of(() -> Objects.requireNonNull(provider.availability(configuration), "availability() gave null"));
            if (answer.value != null) {
                return answer.value;
            }
            LOG.warn("provider {} failed when asked whether it is available", name, answer.failure);
            return new VerbsProvider.Availability(false, "it failed when asked: " + answer.failure + ": this is a defect of the provider");
        }
    }

    /**
     * The result of a call to code of a provider, or of the loader that makes one.
     *
     * @param failure the exception, or {@code null}
     */
    private record Answer<T extends @Nullable Object>(@Nullable T value, @Nullable Throwable failure) {
        static <T> Answer<T> of(Supplier<T> call) {
            try {
                return new Answer<>(call.get(), null);
            } catch (RuntimeException | ServiceConfigurationError | LinkageError e) {
                return new Answer<>(null, e);
            }
        }

        /** Goes on with the value; after a failure it makes no further call. */
        <R> Answer<R> then(Function<T, R> next) {
            return failure == null ? of(() -> next.apply(value)) : new Answer<>(null, failure);
        }
    }

    /**
     * A provider that cannot be used.
     *
     * @param name   its name if it has said so, else that of its class or of the loader's complaint
     * @param reason one line
     */
    record Refused(String name, String reason) {
    }

    private final List<Usable> usable = new ArrayList<>();
    private final List<Refused> refused = new ArrayList<>();

    private Providers() {
    }

    /** Finds all, with the context class loader of the thread and with that of the API. */
    static Providers find() {
        Providers found = new Providers();
        Set<String> complaints = new HashSet<>();
        loaders().forEach(loader -> found.load(loader, complaints));
        found.usable.sort((a, b) -> Integer.compare(b.preference, a.preference));
        return found;
    }

    /** The API's own loader too: a context class loader of another world may not see the providers. */
    static List<ClassLoader> loaders() {
        return Stream.of(Thread.currentThread().getContextClassLoader(), Providers.class.getClassLoader()).filter(Objects::nonNull)
                .distinct().filter(Providers::hasThisApi).toList();
    }

    /** A loader with a copy of the API of its own, as that of a web application, has providers of that copy. */
    private static boolean hasThisApi(ClassLoader loader) {
        try {
            return Class.forName(VerbsProvider.class.getName(), false, loader) == VerbsProvider.class;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    private void load(ClassLoader loader, Set<String> complaints) {
        Iterator<VerbsProvider> providers = ServiceLoader.load(VerbsProvider.class, loader).iterator();
        for (int failures = 0; failures < MOST_FAILURES;) {
            Answer<VerbsProvider> next = Answer.of(() -> providers.hasNext() ? providers.next() : null);
            if (next.failure != null) {
                failures++;
                complain(next.failure, complaints);
            } else if (next.value != null) {
                add(next.value);
            } else {
                return;
            }
        }
    }

    private void complain(Throwable failure, Set<String> complaints) {
        if (complaints.add(failure.getMessage())) {
            String cause = failure.getCause() == null ? "" : ": " + failure.getCause();
            refuse("(unknown)", "a provider could not be loaded: " + failure.getMessage() + cause, failure);
        }
    }

    private void add(VerbsProvider provider) {
        String type = provider.getClass().getName();
        if (usable.stream().anyMatch(other -> other.provider.getClass().getName().equals(type))) {
            // The other class loader has found it too.
            return;
        }
        Answer<String> name = Answer.of(provider::name);
        Answer<Usable> candidate = name.then(value -> candidate(provider, value));
        Answer<String> fault = candidate.then(this::fault);
        String shown = name.value == null ? type : name.value;
        if (fault.failure != null) {
            refuse(shown, type + " failed when asked for its name and settings: " + fault.failure, fault.failure);
        } else if (fault.value != null) {
            refuse(shown, type + ": " + fault.value, null);
        } else {
            usable.add(candidate.value);
        }
    }

    private static Usable candidate(VerbsProvider provider, String name) {
        return new Usable(provider, name, provider.preference(), Setting.PREFIX + provider.settingsPrefix() + ".",
                List.copyOf(provider.settings()));
    }

    /** Which rule a provider breaks, or {@code null}. */
    private @Nullable String fault(Usable candidate) {
        if (!candidate.name.matches("[a-z0-9]+(-[a-z0-9]+)*") || candidate.name.equals("auto")) {
            return "\"" + candidate.name + "\" is no name of a provider: lower case, digits and hyphens, and not \"auto\"";
        }
        for (Usable other : usable) {
            if (other.name.equals(candidate.name)) {
                return "provider " + other.provider.getClass().getName() + " has that name already";
            }
            if (other.prefix.equals(candidate.prefix)) {
                return "provider " + other.name + " has the settings " + candidate.prefix + "* already";
            }
        }
        Optional<Setting<?>> foreign = candidate.settings.stream().filter(setting -> !setting.name().startsWith(candidate.prefix))
                .findAny();
        return foreign.map(setting -> "its setting " + setting.name() + " does not start with " + candidate.prefix).orElse(null);
    }

    private void refuse(String name, String reason, @Nullable Throwable cause) {
        LOG.warn("provider {} cannot be used: {}", name, reason, cause);
        refused.add(new Refused(name, reason));
    }

    /** Those that keep the rules, the preferred first. */
    List<Usable> usable() {
        return usable;
    }

    /** Says which providers cannot be used and why, to end a message; empty if there are none. */
    static String describe(List<Refused> refused) {
        StringBuilder text = new StringBuilder();
        refused.forEach(each -> text.append("; provider ").append(each.name).append(" cannot be used: ").append(each.reason));
        return text.toString();
    }

    /** Those that cannot be used. */
    List<Refused> refused() {
        return refused;
    }
}
