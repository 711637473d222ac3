package org.panamaverbs.testing.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A test fails if a requirement is not kept. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Requirement {
    /**
     * Rows of a register, one text for each section: the specification, the section, and letters in ascending order, one by one or as
     * ranges, such as {@code RFC8166-3.3.1-a} and {@code RFC8166-3.3.2-a,c..e}.
     */
    String[] value();
}
