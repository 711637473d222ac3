package org.panamaverbs.posix;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.panamaverbs.bindings.libc.Libc;

/**
 * Whether the JVM allows the native calls that all providers make. Asked before any other class of this package is loaded: once native access
 * is denied, such a class fails in its initializer, and the error does not name the remedy.
 */
public final class NativeAccess {
    /** The modules that call native code for every provider. The JVM's option must name all: it denies native access to the others. */
    private static final List<String> MODULES = List.of("org.panamaverbs", "org.panamaverbs.bindings", "org.panamaverbs.posix");

    private static final boolean DENIED = isDenied();

    private NativeAccess() {
    }

    /**
     * The remedy if native access is denied, or {@code null} if it is not.
     *
     * @param further the names of further modules that the caller needs, which call native code as well
     */
    public static String denial(String... further) {
        return DENIED ? advice(further) : null;
    }

    /** The remedy: for a caller that was denied native access itself. */
    public static String advice(String... further) {
        return "native access is denied: start Java with --enable-native-access=" + (NativeAccess.class.getModule().isNamed()
                ? Stream.concat(MODULES.stream(), Stream.of(further)).collect(Collectors.joining(",")) : "ALL-UNNAMED");
    }

    /** Makes a restricted call in this module and one in that of the bindings, whose initializer has some. */
    @SuppressWarnings("restricted")
    private static boolean isDenied() {
        try {
            Objects.requireNonNull(MemorySegment.NULL.reinterpret(1));
            Objects.requireNonNull(Libc.C_POINTER);
            return false;
        } catch (IllegalCallerException e) {
            return true;
        } catch (ExceptionInInitializerError e) {
            if (e.getCause() instanceof IllegalCallerException) {
                return true;
            }
            throw e;
        }
    }
}
