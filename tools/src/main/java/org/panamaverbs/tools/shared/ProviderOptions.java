package org.panamaverbs.tools.shared;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.spi.support.Rollback;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of every command that opens a provider of verbs: the provider, the device, and any setting. */
public final class ProviderOptions {
    @Option(names = "--provider", paramLabel = "NAME", description = "auto, rdma-core or soft-iwarp.")
    private String provider;

    @Option(names = "--device", paramLabel = "NAME", description = "A device of the provider, as `pverbs devices` lists them. Default: the one that the address selects.")
    private String device;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "A setting, as `pverbs config` lists them; may be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Options of the command's own that stand for a setting, each with its setting's name and text. */
    private final Map<String, Map.Entry<String, String>> further = new LinkedHashMap<>();

    private Settings own() {
        Settings own = new Settings(settings);
        further.forEach((option, setting) -> own.put(setting.getKey(), setting.getValue(), option));
        if (provider != null) {
            own.put(Configuration.PROVIDER.name(), provider, "--provider");
        }
        if (device != null) {
            own.put(Configuration.DEVICE.name(), device, "--device");
        }
        return own;
    }

    /** One more setting, which an option of the command's own stands for. */
    public void set(String option, String name, String value) {
        further.put(option, Map.entry(name, value));
    }

    /** @throws ParameterException if a setting is unknown, or does not take its value */
    public Configuration configuration() {
        return configuration(Map.of());
    }

    /** The same with some settings replaced. */
    public Configuration configuration(Map<String, String> instead) {
        Settings all = own();
        instead.forEach((name, value) -> all.put(name, value, "--set"));
        return all.configuration(command);
    }

    /** @throws ParameterException if there is no such provider or device */
    public Verbs open() {
        Configuration configuration = configuration();
        Verbs verbs = Argument.checked(command, () -> Verbs.open(configuration));
        try (Rollback undo = new Rollback()) {
            undo.add(verbs::close);
            if (isDeviceNamed(verbs)) {
                Argument.checked(command, verbs::device);
            }
            undo.commit();
            return verbs;
        }
    }

    /** Listens and connects over the device that the command line names, or over all devices: then the address selects the device. */
    public ConnectionManager connections(Verbs verbs) {
        return isDeviceNamed(verbs) ? ConnectionManager.of(verbs.device()) : ConnectionManager.of(verbs);
    }

    /** The device that the command line names, or else the device that the route to a peer leads over. */
    public Device towards(Verbs verbs, InetSocketAddress peer, Duration limit) {
        if (isDeviceNamed(verbs) || verbs.devices().size() == 1) {
            return verbs.device();
        }
        try (Connector connector = ConnectionManager.of(verbs).connector(peer, limit)) {
            return connector.device();
        }
    }

    /** The device that the command line names, or else the first one that can listen at an address. */
    public Device at(Verbs verbs, InetSocketAddress local) {
        Device usual = verbs.device();
        if (isDeviceNamed(verbs) || verbs.devices().size() == 1 || listens(usual, local)) {
            return usual;
        }
        return verbs.devices().stream().filter(device -> listens(device, local)).findFirst().orElse(usual);
    }

    private static boolean listens(Device device, InetSocketAddress local) {
        try (Listener listener = ConnectionManager.of(device).listen(new InetSocketAddress(local.getAddress(), 0), 1)) {
            return listener.address().getPort() != 0;
        } catch (SystemException e) {
            return false;
        }
    }

    private static boolean isDeviceNamed(Verbs verbs) {
        return !verbs.configuration().get(Configuration.DEVICE).isEmpty();
    }

    /** The same as arguments, for a process of our own at the other end. */
    public List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        own().texts().forEach((name, value) -> arguments.addAll(List.of("--set", name + "=" + value)));
        return arguments;
    }
}
