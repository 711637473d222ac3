package org.panamaverbs.testing.api;

/**
 * A change that breaks what was compiled against the recorded signatures, or its source.
 *
 * @param side whom it breaks
 * @param text the class or member, and the kind of change
 */
record Change(Side side, String text) {
    /** Those that a module makes promises to. */
    enum Side {
        /** Programs that call the module. */
        PROGRAMS,
        /** Providers, which implement its interfaces and extend its classes. */
        PROVIDERS
    }
}
