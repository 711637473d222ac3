package org.panamaverbs.tools;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.panamaverbs.Capability;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.DeviceAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.tools.shared.ProviderOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code pverbs devices}: what there is, per provider, as {@code ibv_devinfo} shows it. */
@Command(name = "devices", mixinStandardHelpOptions = true, description = "Lists the devices of every provider, with their limits.")
public final class DevicesCommand implements Callable<Integer> {
    @Mixin
    private ProviderOptions options;

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Configuration configuration = options.configuration();
        List<Map<String, Object>> found = new ArrayList<>();
        for (Verbs.ProviderStatus provider : Verbs.providers(configuration)) {
            if (wanted(configuration, provider.name())) {
                found.add(describe(provider));
            }
        }
        if (found.isEmpty()) {
            throw new IllegalArgumentException("unknown provider \"" + configuration.get(Configuration.PROVIDER) + "\"; known are: "
                    + String.join(", ", Verbs.providers(configuration).stream().map(Verbs.ProviderStatus::name).toList()));
        }
        if (json) {
            out.println(new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(found));
        } else {
            found.forEach(provider -> print(out, provider));
        }
        out.flush();
        return 0;
    }

    private static boolean wanted(Configuration configuration, String provider) {
        String wanted = configuration.get(Configuration.PROVIDER);
        return wanted.equals("auto") || wanted.equals(provider);
    }

    private Map<String, Object> describe(Verbs.ProviderStatus provider) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("provider", provider.name());
        described.put("available", provider.available());
        described.put("detail", provider.detail());
        List<Map<String, Object>> devices = new ArrayList<>();
        if (provider.available()) {
            Configuration configuration = options.configuration(Map.of(Configuration.PROVIDER.name(), provider.name()));
            String name = configuration.get(Configuration.DEVICE);
            try (Verbs verbs = Verbs.open(configuration)) {
                verbs.devices().stream().filter(device -> name.isEmpty() || name.equals(device.name()))
                        .forEach(device -> devices.add(describe(device)));
            }
        }
        described.put("devices", devices);
        return described;
    }

    private static Map<String, Object> describe(Device device) {
        DeviceAttributes attributes = device.attributes();
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("name", device.name());
        for (var component : DeviceAttributes.class.getRecordComponents()) {
            try {
                described.put(component.getName(), component.getAccessor().invoke(attributes));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        described.put("capabilities", Arrays.stream(Capability.values()).filter(device::supports).map(Enum::name).toList());
        return described;
    }

    private static void print(PrintWriter out, Map<String, Object> provider) {
        out.println(provider.get("provider") + ": " + (provider.get("available").equals(true) ? "" : "not available: ")
                + provider.get("detail"));
        for (Object device : (List<?>) provider.get("devices")) {
            Map<?, ?> described = (Map<?, ?>) device;
            out.println("    " + described.get("name"));
            described.forEach((key, value) -> {
                if (!key.equals("name")) {
                    out.printf("        %-32s %s%n", words(key.toString()), value instanceof List<?> list ? words(list) : value);
                }
            });
        }
    }

    private static String words(List<?> capabilities) {
        return String.join(", ", capabilities.stream().map(each -> each.toString().toLowerCase().replace('_', ' ')).toList());
    }

    /** maximumQueuePairs as "maximum queue pairs". */
    private static String words(String name) {
        return name.replaceAll("([A-Z])", " $1").toLowerCase();
    }
}
