package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import org.panamaverbs.posix.NativeAccess;

/** Whether the native libraries can be used at all; asked before any class of the generated bindings is touched, which would load them. */
@SuppressWarnings("restricted") // looking for native libraries is what this class is for
public final class Libraries {
    /** The processor whose bindings these are. */
    private static final String TESTED = "amd64";
    /** Its layouts were compared by a compiler, see {@link Layouts}. */
    private static final String COMPARED = "aarch64";

    /** The module that calls native code, besides those that {@link NativeAccess} knows. */
    private static final String MODULE = "org.panamaverbs.rdmacore";

    private Libraries() {
    }

    /** A caution for a program before it relies on this platform, or {@code null}. */
    public static String caution() {
        return caution(System.getProperty("os.arch"));
    }

    static String caution(String architecture) {
        return COMPARED.equals(architecture)
                ? "RDMA devices are untested on aarch64: its struct layouts were compared with the headers, but nothing has run on hardware"
                : null;
    }

    /** The missing prerequisite and its remedy, or {@code null}. */
    public static String missing() {
        String system = System.getProperty("os.name");
        String architecture = System.getProperty("os.arch");
        if (!"Linux".equals(system)) {
            return "RDMA devices are supported on Linux, and this is " + system;
        }
        if (!TESTED.equals(architecture) && !COMPARED.equals(architecture)) {
            return "the struct layouts of the bindings are known for x86_64 and aarch64, and this is " + architecture
                    + ": use the provider soft-iwarp";
        }
        String denial = NativeAccess.denial(MODULE);
        if (denial != null) {
            return denial;
        }
        String verbs = missing("libibverbs.so.1", "libibverbs1 (Debian, with ibverbs-providers) or libibverbs (Fedora)");
        return verbs != null ? verbs : missing("librdmacm.so.1", "librdmacm1 (Debian) or librdmacm (Fedora)");
    }

    private static String missing(String library, String packages) {
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup.libraryLookup(library, arena);
            return null;
        } catch (IllegalCallerException e) {
            return NativeAccess.advice(MODULE);
        } catch (IllegalArgumentException e) {
            return "cannot load " + library + ": install the package " + packages;
        }
    }
}
