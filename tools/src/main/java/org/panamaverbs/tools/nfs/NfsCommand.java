package org.panamaverbs.tools.nfs;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code pverbs nfs}. */
@Command(name = "nfs", mixinStandardHelpOptions = true, description = "NFS version 4.1, over RDMA or TCP.", subcommands = ServeCommand.class)
public final class NfsCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do: one of " + String.join(", ", spec.subcommands().keySet()));
    }
}
