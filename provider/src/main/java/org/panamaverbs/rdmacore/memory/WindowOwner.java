package org.panamaverbs.rdmacore.memory;

/** The queue pair that memory windows of type 2 belong to. */
public interface WindowOwner {
    /** A window belongs to the queue pair from now on. */
    void owns(CoreMemoryWindow window);

    /** A window belongs to the queue pair no more. */
    void forget(CoreMemoryWindow window);
}
