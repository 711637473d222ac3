package org.panamaverbs.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.Setting;

/** The tables of docs/reference/settings.md say what the settings say. With {@code -Dsettings.write=true} it writes them anew. */
class SettingsPageTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "reference", "settings.md");
    private static final String BEGIN = "<!-- settings, made by SettingsPageTest: do not edit -->\n";
    private static final String END = "\n<!-- end of settings -->\n";
    /** A setting belongs to the first one whose names begin like its own. */
    private static final Map<String, String> MODULES = new LinkedHashMap<>();
    static {
        MODULES.put("panamaverbs.rdmacore.", "RDMA devices (`provider`)");
        MODULES.put("panamaverbs.softiwarp.ddp.", "Direct data placement (`ddp`)");
        MODULES.put("panamaverbs.softiwarp.", "soft-iWARP (`soft-iwarp`), for queue pairs and for the sockets of `ddp`");
        MODULES.put("panamaverbs.rpc.", "Services of RPC and NFS (`rpc-over-rdma`), over RDMA and TCP");
        MODULES.put("panamaverbs.netty.", "Netty (`netty`)");
        MODULES.put("panamaverbs.nio.", "NIO channels (`nio`)");
        MODULES.put("panamaverbs.", "Every provider (`verbs`)");
    }

    @Test
    void shouldBeUpToDate() throws IOException {
        String text = Files.readString(PAGE);
        int from = text.indexOf(BEGIN);
        int to = text.indexOf(END, from);
        assertTrue(from >= 0 && to > 0, () -> PAGE + " lacks the lines " + BEGIN + END);
        String expected = text.substring(0, from) + BEGIN + tables() + text.substring(to);
        if (Boolean.getBoolean("settings.write")) {
            Files.writeString(PAGE, expected);
            text = expected;
        }
        assertEquals(expected, text, () -> PAGE + " is not up to date: run with -Dsettings.write=true");
    }

    private static String tables() {
        LinkedHashMap<String, List<Setting<?>>> byModule = new LinkedHashMap<>();
        MODULES.keySet().forEach(prefix -> byModule.put(prefix, new ArrayList<>()));
        for (Configuration.Entry entry : Configuration.load().entries()) {
            String module = MODULES.keySet().stream().filter(entry.setting().name()::startsWith).findFirst().orElseThrow();
            byModule.get(module).add(entry.setting());
        }
        StringBuilder tables = new StringBuilder();
        byModule.reversed().forEach((prefix, settings) -> {
            assertTrue(!settings.isEmpty(), () -> "there is no setting " + prefix);
            tables.append("\n### ").append(MODULES.get(prefix)).append("\n\n| setting | default | takes | |\n|---|---|---|---|\n");
            settings.forEach(setting -> tables.append(row(setting)));
        });
        return tables.toString();
    }

    private static String row(Setting<?> setting) {
        String usual = setting.defaultText().isEmpty() ? "empty" : "`" + setting.defaultText() + "`";
        return String.join(" | ", "| `" + setting.name() + "`", usual, escaped(setting.values()), escaped(setting.description()) + " |\n");
    }

    private static String escaped(String text) {
        return text.replace("|", "\\|").replace("*", "\\*");
    }
}
