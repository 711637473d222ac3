package org.panamaverbs.nio;

import java.util.List;
import org.panamaverbs.Setting;
import org.panamaverbs.spi.DeclaredSettings;

/** The settings of the provider. */
public final class NioSettings implements DeclaredSettings {
    static final Setting<NamedAddresses> ADDRESSES = new Setting<>("panamaverbs.nio.addresses", "",
            "networks and ports, as in 10.1.0.0/16, *:7000-7999, !*:8080",
            "Addresses whose NIO channels go over verbs, separated by commas; the first entry that matches counts, and ! excludes",
            NamedAddresses::parse);
    static final Setting<Boolean> FALL_BACK = Setting.flag("panamaverbs.nio.fall-back", true,
            "An NIO channel that gets no connection over verbs connects by TCP instead; the log says so");
    static final Setting<String> REPORT = Setting.text("panamaverbs.nio.report", "", "a path, or empty",
            "File to which the JVM adds a line at its end: how many connections and bytes of NIO channels went over verbs, and how many did not");

    /** For {@link java.util.ServiceLoader}. */
    public NioSettings() {
        // There is nothing to prepare.
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(ADDRESSES, FALL_BACK, REPORT);
    }
}
