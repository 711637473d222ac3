package org.panamaverbs.nfs.server.file;

import java.util.EnumMap;
import java.util.Map;
import org.panamaverbs.nfs.server.compound.Handler;
import org.panamaverbs.nfs.xdr.Operation;

/** The handlers of this package. */
public final class FileOperations {
    private FileOperations() {
    }

    /** All of them. */
    public static Map<Operation, Handler> handlers() {
        Map<Operation, Handler> handlers = new EnumMap<>(Operation.class);
        handlers.putAll(HandleOperations.handlers());
        handlers.putAll(AttributeOperations.handlers());
        handlers.putAll(NameOperations.handlers());
        handlers.putAll(StateOperations.handlers());
        handlers.putAll(LockOperations.handlers());
        handlers.put(Operation.READDIR, new ReadDirectory());
        handlers.put(Operation.READ, new Read());
        handlers.put(Operation.WRITE, new Write());
        handlers.put(Operation.COMMIT, new Commit());
        handlers.put(Operation.OPEN, new OpenOperation());
        return handlers;
    }
}
