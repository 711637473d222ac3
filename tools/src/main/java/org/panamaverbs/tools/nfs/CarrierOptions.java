package org.panamaverbs.tools.nfs;

import org.panamaverbs.Verbs;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.rpcrdma.RdmaRpcOptions;
import org.panamaverbs.rpcrdma.limits.ServiceLimits;
import org.panamaverbs.tools.shared.ProviderOptions;
import org.panamaverbs.tools.shared.Quantity;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The transport that carries calls, of clients and of {@code serve}. A wrong value is an error of the command line. */
public final class CarrierOptions {
    /** The transports. */
    enum Transport {
        /** RPC-over-RDMA. */
        RDMA,
        /** TCP, for comparison, and for peers without RDMA. */
        TCP
    }

    @Option(names = "--transport", paramLabel = "rdma|tcp", defaultValue = "rdma", description = "The transport of the calls. Default: ${DEFAULT-VALUE}. The usual port is 20049, or 2049 over TCP.")
    private Transport transport;

    @Option(names = "--versions", paramLabel = "1|2|1-2", description = "Versions of RPC-over-RDMA. A client with 1-2 begins with 2 and falls back. Default: 1, which all servers speak; 1-2 for serve.")
    private String versions;

    @Option(names = "--inline", paramLabel = "BYTES", defaultValue = "4096", description = "The longest message that travels without chunks: a multiple of 1,024. Default: ${DEFAULT-VALUE}.")
    private String inline;

    @Mixin
    private ProviderOptions provider;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    boolean isTcp() {
        return transport == Transport.TCP;
    }

    /** The port if the command line names none. */
    int usualPort() {
        return isTcp() ? Nfs4.PORT : Nfs4.RDMA_PORT;
    }

    /** The limits of a service that the settings give. */
    ServiceLimits limits() {
        return ServiceLimits.of(provider.configuration());
    }

    Verbs open() {
        return provider.open();
    }

    /** @param usual the versions if the command line names none, in the form of the option */
    RdmaRpcOptions rdma(String usual) {
        String wanted = versions == null ? usual : versions;
        return switch (wanted) {
            case "1" -> sized().withVersions(1, 1);
            case "2" -> sized().withVersions(2, 2);
            case "1-2" -> sized().withVersions(1, 2);
            default -> throw new ParameterException(command.commandLine(), "--versions is 1, 2 or 1-2, not \"" + wanted + "\"");
        };
    }

    private RdmaRpcOptions sized() {
        try {
            int bytes = (int) Math.min(Quantity.bytes(inline), Integer.MAX_VALUE);
            return RdmaRpcOptions.defaults().withInline(bytes, bytes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "--inline \"" + inline + "\": " + e.getMessage(), e);
        }
    }
}
