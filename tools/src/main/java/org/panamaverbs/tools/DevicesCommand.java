package org.panamaverbs.tools;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.Verbs;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.ProviderOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code pverbs devices}: the devices of each provider, in a line each or as {@code ibv_devinfo -v} shows them. */
// Tested by PverbsTest.
@Command(name = "devices", mixinStandardHelpOptions = true, description = "Lists the devices of every provider.")
public final class DevicesCommand implements Callable<Integer> {
    private static final String INDENT = "    ";

    @Mixin
    private ProviderOptions options;

    @Option(names = "--verbose", description = "Shows their ports, limits and capabilities, too.")
    private boolean verbose;

    @Option(names = "--json", description = "One JSON object, with all that --verbose shows.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    /** A provider and its devices, as names and values. */
    private record Found(Map<String, Object> provider, List<Map<String, Object>> devices) {
        private Map<String, Object> with(String device) {
            Map<String, Object> described = new LinkedHashMap<>(provider);
            described.put("devices", devices.stream().filter(each -> device.isEmpty() || each.get("name").equals(device)).toList());
            return described;
        }
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        Configuration configuration = options.configuration();
        String device = configuration.get(Configuration.DEVICE);
        List<Found> found = find(configuration);
        if (!device.isEmpty() && found.stream().flatMap(each -> each.devices.stream()).noneMatch(each -> each.get("name").equals(device))) {
            throw new ParameterException(spec.commandLine(), "there is no device \"" + device + "\"; there are: " + names(found));
        }
        List<Map<String, Object>> described = found.stream().map(each -> each.with(device)).toList();
        if (json) {
            Map<String, Object> object = Json.object("devices");
            object.put("providers", described);
            out.println(Json.lines(object));
        } else if (verbose) {
            described.forEach(provider -> print(out, provider));
        } else {
            printLines(out, described);
        }
        out.flush();
        return 0;
    }

    private static String names(List<Found> found) {
        return found.stream()
                .flatMap(each -> each.devices.stream().map(device -> device.get("name") + " (" + each.provider.get("provider") + ")"))
                .collect(Collectors.joining(", "));
    }

    private List<Found> find(Configuration configuration) {
        String wanted = configuration.get(Configuration.PROVIDER);
        List<String> providers = Verbs.providers(configuration).stream().map(Verbs.ProviderStatus::name).toList();
        List<Found> found = new ArrayList<>();
        for (String provider : providers) {
            if (wanted.equals("auto") || wanted.equals(provider)) {
                found.add(find(provider));
            }
        }
        if (found.isEmpty()) {
            throw new ParameterException(spec.commandLine(),
                    "unknown provider \"" + wanted + "\"; known are: auto, " + String.join(", ", providers));
        }
        return found;
    }

    /** As if it were asked for by name, and for no device: an automatic choice leaves out devices without an active port. */
    private Found find(String provider) {
        Configuration own = options.configuration(Map.of(Configuration.PROVIDER.name(), provider, Configuration.DEVICE.name(), ""));
        Verbs.ProviderStatus status = Verbs.providers(own).stream().filter(each -> each.name().equals(provider)).findFirst().orElseThrow();
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("provider", provider);
        described.put("available", status.available());
        described.put("detail", status.detail());
        List<Map<String, Object>> devices = new ArrayList<>();
        if (status.available()) {
            try (Verbs verbs = Verbs.open(own)) {
                for (Device device : verbs.devices()) {
                    devices.add(DeviceDescription.of(device));
                }
            }
        }
        return new Found(described, devices);
    }

    private static void printLines(PrintWriter out, List<Map<String, Object>> providers) {
        printLine(out, "NAME", "PROVIDER", "TRANSPORT", "STATE", "ADDRESS");
        for (Map<String, Object> provider : providers) {
            for (Object each : (List<?>) provider.get("devices")) {
                Map<String, Object> device = new LinkedHashMap<>();
                ((Map<?, ?>) each).forEach((name, value) -> device.put(name.toString(), value));
                printLine(out, device.get("name"), provider.get("provider"), device.get("transport"),
                        device.get("active").equals(true) ? "active" : "down", DeviceDescription.address(device));
            }
        }
        providers.stream().filter(provider -> provider.get("available").equals(false))
                .forEach(provider -> out.println(provider.get("provider") + " is not available: " + provider.get("detail")));
    }

    private static void printLine(PrintWriter out, Object name, Object provider, Object transport, Object state, Object address) {
        out.printf("%-16s %-12s %-12s %-8s %s%n", name, provider, transport, state, address);
    }

    private static void print(PrintWriter out, Map<String, Object> provider) {
        out.println(provider.get("provider") + ": " + (provider.get("available").equals(true) ? "" : "not available: ")
                + provider.get("detail"));
        for (Object device : (List<?>) provider.get("devices")) {
            out.println(INDENT + ((Map<?, ?>) device).get("name"));
            print(out, (Map<?, ?>) device, INDENT + INDENT);
        }
    }

    private static void print(PrintWriter out, Map<?, ?> described, String indent) {
        described.forEach((key, value) -> {
            switch (value) {
                case Object _ when key.equals("name") || key.equals("number") -> {
                    // It is in the heading.
                }
                case Map<?, ?> group -> {
                    out.println(indent + words(key.toString()));
                    print(out, group, indent + INDENT);
                }
                case List<?> list when key.equals("ports") -> list.forEach(port -> {
                    out.println(indent + "port " + ((Map<?, ?>) port).get("number"));
                    print(out, (Map<?, ?>) port, indent + INDENT);
                });
                case List<?> list when key.equals("capabilities") -> printLine(out, indent, key, words(list));
                case List<?> list -> {
                    for (int i = 0; i < list.size(); i++) {
                        printLine(out, indent, key + "[" + i + "]", list.get(i));
                    }
                }
                default -> printLine(out, indent, key, value);
            }
        });
    }

    private static void printLine(PrintWriter out, String indent, Object key, Object value) {
        out.printf("%-44s %s%n", indent + words(key.toString()), value);
    }

    private static String words(List<?> capabilities) {
        return String.join(", ", capabilities.stream().map(each -> each.toString().toLowerCase(Locale.ROOT).replace('_', ' ')).toList());
    }

    /** maximumQueuePairs as "maximum queue pairs". */
    private static String words(String name) {
        return name.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
    }
}
