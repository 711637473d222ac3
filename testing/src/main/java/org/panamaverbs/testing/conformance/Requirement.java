package org.panamaverbs.testing.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A test fails if a requirement is not kept. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Repeatable(Requirement.Several.class)
public @interface Requirement {
    /** The number of a row: the specification, the section and a letter, such as {@code RFC8166-3.3.1-a}. */
    String value();

    /** More than one requirement. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface Several {
        Requirement[] value();
    }
}
