package org.panamaverbs.compare;

/**
 * The software whose program is measured, and whether it is here.
 *
 * @param name    as people know it
 * @param version of the installed software; {@code null} if it is missing
 * @param missing why it cannot be measured or compared, and what to install; {@code null} if it can
 */
record Peer(String name, String version, String missing) {
    static Peer present(String name, String version) {
        return new Peer(name, version, null);
    }

    static Peer missing(String name, String why) {
        return new Peer(name, null, why);
    }

    /** One that is here, and whose figures would mislead. */
    static Peer incomparable(String name, String version, String why) {
        return new Peer(name, version, why);
    }

    boolean isPresent() {
        return missing == null;
    }

    /** Why it is not measured, as a clause; {@code null} if it is. */
    String why() {
        if (isPresent()) {
            return null;
        }
        return name + (version == null ? " is missing: " : " cannot be compared: ") + missing;
    }
}
