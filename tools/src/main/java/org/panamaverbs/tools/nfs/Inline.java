package org.panamaverbs.tools.nfs;

import org.panamaverbs.rpcrdma.RdmaRpcOptions;
import org.panamaverbs.tools.shared.Quantity;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The option {@code --inline}, of clients and of {@code serve}. */
final class Inline {
    private Inline() {
    }

    /** The usual options with that length of messages; a wrong length is an error of the command line. */
    static RdmaRpcOptions options(String text, CommandSpec command) {
        try {
            int bytes = (int) Math.min(Quantity.bytes(text), Integer.MAX_VALUE);
            return RdmaRpcOptions.defaults().withInline(bytes, bytes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "--inline \"" + text + "\": " + e.getMessage(), e);
        }
    }
}
