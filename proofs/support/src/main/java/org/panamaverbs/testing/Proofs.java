package org.panamaverbs.testing;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;

/**
 * What the default build leaves to the profile {@code proofs}. Classes and methods with {@code @Tag(Proofs.TAG)} run there alone; of
 * products, as those of transports and cases, the default build takes the first ({@link Transports}, {@link #cases}); and loops that last
 * a while are short in it ({@link #loopNanos}).
 */
public final class Proofs {
    /** The tag of tests that the default build leaves out. */
    public static final String TAG = "proofs";
    private static final boolean RUN = Boolean.getBoolean("proofs");
    private static final long LOOP_MILLIS = Long.getLong("proofs.millis", 200);

    private Proofs() {
    }

    /** {@return whether this build has the profile} */
    public static boolean run() {
        return RUN;
    }

    /**
     * {@return the first case, in the profile all}
     *
     * @param first the most useful case
     * @param rest  further cases
     */
    public static List<String> cases(String first, String... rest) {
        List<String> cases = new ArrayList<>(List.of(first));
        if (RUN) {
            cases.addAll(List.of(rest));
        }
        return cases;
    }

    /** {@return how long a loop lasts that looks for rare events, in nanoseconds} */
    public static long loopNanos() {
        return LOOP_MILLIS * 1_000_000;
    }

    /**
     * {@return whether the default build leaves out a test}
     *
     * @param test a method of a class of tests
     */
    public static boolean contain(Method test) {
        return isTagged(test) || isTagged(test.getDeclaringClass());
    }

    private static boolean isTagged(AnnotatedElement element) {
        for (Tag tag : element.getAnnotationsByType(Tag.class)) {
            if (tag.value().equals(TAG)) {
                return true;
            }
        }
        return false;
    }
}
