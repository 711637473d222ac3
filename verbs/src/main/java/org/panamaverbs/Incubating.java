package org.panamaverbs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a part of the API that may still change, or go, with any version: its form waits for those who use it. All that is not marked keeps
 * the promises of docs/api-evolution.md. The mark of a type holds for its members, too.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ ElementType.TYPE, ElementType.METHOD, ElementType.CONSTRUCTOR, ElementType.FIELD })
public @interface Incubating {
    /** {@return what is not settled yet} */
    String value();
}
