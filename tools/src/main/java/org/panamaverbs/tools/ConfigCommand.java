package org.panamaverbs.tools;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.ProviderOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code pverbs config}: every setting with its value and its source, and the provider that these settings choose. */
@Command(name = "config", mixinStandardHelpOptions = true, description = { "Lists every setting with its value and its source.",
        "Names the provider that these settings choose, and the reason." })
public final class ConfigCommand implements Callable<Integer> {
    @Mixin
    private ProviderOptions options;

    @Option(names = "--json", description = "One JSON object.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (Verbs verbs = options.open()) {
            Configuration configuration = verbs.configuration();
            if (json) {
                out.println(Json.lines(describe(verbs, configuration)));
            } else {
                print(out, verbs, configuration);
            }
        }
        out.flush();
        return 0;
    }

    private static Map<String, Object> describe(Verbs verbs, Configuration configuration) {
        Map<String, Object> described = Json.object("config");
        described.put("provider", verbs.provider());
        described.put("device", verbs.device().name());
        described.put("reason", verbs.reason());
        List<Map<String, String>> settings = new ArrayList<>();
        for (Configuration.Entry entry : configuration.entries()) {
            Map<String, String> setting = new LinkedHashMap<>();
            setting.put("name", entry.setting().name());
            setting.put("value", entry.text());
            setting.put("source", entry.source());
            setting.put("values", entry.setting().values());
            setting.put("description", entry.setting().description());
            settings.add(setting);
        }
        described.put("settings", settings);
        return described;
    }

    private static void print(PrintWriter out, Verbs verbs, Configuration configuration) {
        out.println("provider " + verbs.provider() + ", device " + verbs.device().name() + " (" + verbs.reason() + ")");
        out.println();
        for (Configuration.Entry entry : configuration.entries()) {
            out.printf("%-44s %-12s %s%n", entry.setting().name(), entry.text().isEmpty() ? "(empty)" : entry.text(), entry.source());
            out.printf("    %s. Takes %s. Environment: %s%n", entry.setting().description(), entry.setting().values(),
                    entry.setting().environmentName());
        }
    }
}
