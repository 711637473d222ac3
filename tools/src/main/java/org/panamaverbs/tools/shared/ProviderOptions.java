package org.panamaverbs.tools.shared;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import picocli.CommandLine.Option;

/** What every command takes: which provider and device, and any setting. */
public final class ProviderOptions {
    @Option(names = "--provider", paramLabel = "NAME", description = "auto, rdma-core or soft-iwarp.")
    private String provider;

    @Option(names = "--device", paramLabel = "NAME", description = "A device of the provider, as `pverbs devices` lists them.")
    private String device;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "A setting, as `pverbs config` lists them; may be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /** The settings of the command line by their full names. */
    private Map<String, String> own() {
        Map<String, String> own = new LinkedHashMap<>();
        settings.forEach((name, value) -> own.put(name, value == null ? "" : value));
        if (provider != null) {
            own.put(Configuration.PROVIDER.name(), provider);
        }
        if (device != null) {
            own.put(Configuration.DEVICE.name(), device);
        }
        return own;
    }

    /** One more setting, which an option of the command's own stands for. */
    public void set(String name, String value) {
        settings.put(name, value);
    }

    public Configuration configuration() {
        return configuration(Map.of());
    }

    /** The same with some settings replaced. */
    public Configuration configuration(Map<String, String> instead) {
        Configuration.Builder builder = Configuration.builder();
        own().forEach(builder::set);
        instead.forEach(builder::set);
        return builder.build();
    }

    public Verbs open() {
        return Verbs.open(configuration());
    }

    /** The same as arguments, for a process of our own at the other end. */
    public List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        own().forEach((name, value) -> arguments.addAll(List.of("--set", name + "=" + value)));
        return arguments;
    }
}
