package org.panamaverbs.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * The transports of a {@link ParameterizedTest} or a {@link ParameterizedClass}: the first one in the default build, all in the profile
 * {@code proofs}.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(Transports.Source.class)
public @interface Transports {
    /** Their names, as the setting {@code panamaverbs.softiwarp.transport} has them. */
    String[] value();

    /** For JUnit. */
    final class Source implements ArgumentsProvider, AnnotationConsumer<Transports> {
        private String[] transports;

        /** Knows no transport yet. */
        public Source() {
            transports = new String[0];
        }

        @Override
        public void accept(Transports annotation) {
            transports = annotation.value();
        }

        @Override
        public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
            return Stream.of(transports).limit(Proofs.run() ? transports.length : 1).map(Arguments::of);
        }
    }
}
