package org.panamaverbs.tools.doctor;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.panamaverbs.Verbs;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.ProviderOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code pverbs doctor}: what this machine, user or container lacks for RDMA devices, and what to do about it. */
@Command(name = "doctor", mixinStandardHelpOptions = true, description = {
        "Says what this machine, user or container lacks for RDMA devices, and what to do about it.",
        "Exit status: 0 if nothing is missing, else 1. It changes nothing." })
public final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private ProviderOptions options;

    @Option(names = "--json", description = "One JSON object.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        List<Finding> found = new Checkup(Path.of("/"), Verbs.providers(options.configuration()), DoctorCommand::addresses).all();
        long missing = found.stream().filter(Finding::isMissing).count();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Map<String, Object> object = Json.object("doctor");
            object.put("missing", missing);
            object.put("findings", found.stream().map(Finding::described).toList());
            out.println(Json.lines(object));
        } else {
            found.forEach(finding -> out.println(finding.lines()));
            out.println(missing == 0 ? "Nothing is missing for RDMA devices." : missing + (missing == 1 ? " thing is" : " things are")
                    + " missing for RDMA devices. Without a device, programs use soft-iwarp by themselves.");
        }
        out.flush();
        return missing == 0 ? 0 : 1;
    }

    /** Those of an interface of this network namespace. */
    private static List<String> addresses(String name) {
        try {
            NetworkInterface network = NetworkInterface.getByName(name);
            return network == null ? List.of()
                    : network.inetAddresses().filter(address -> !address.isLinkLocalAddress()).map(InetAddress::getHostAddress).toList();
        } catch (SocketException e) {
            return List.of();
        }
    }
}
