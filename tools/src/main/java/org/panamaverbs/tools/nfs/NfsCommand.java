package org.panamaverbs.tools.nfs;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code pverbs nfs}: each use of NFS is a command of its own below it. */
@Command(name = "nfs", mixinStandardHelpOptions = true, description = {
        "Lists, reads and writes files of a server of NFS version 4.1, or serves a directory, over RDMA (RPC-over-RDMA) or TCP.",
        "Over RDMA the server writes into the mapped file of get, and reads out of the memory of put." }, subcommands = { ListCommand.class,
                GetCommand.class, PutCommand.class, NfsServeCommand.class })
public final class NfsCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do: one of " + String.join(", ", spec.subcommands().keySet()));
    }
}
