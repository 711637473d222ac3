package org.panamaverbs.softiwarp;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.panamaverbs.softiwarp.memory.Window;

/**
 * The windows of type 2 that a queue pair may have bound; closing the queue pair unbinds them. Unreachable windows are not kept.
 */
final class OwnedWindows {
    /** {@code null} until the first: few queue pairs bind windows. */
    private Set<Window> windows;

    /** A binding of a window is about to be posted. */
    synchronized void own(Window window) {
        if (windows == null) {
            windows = Collections.newSetFromMap(new WeakHashMap<>());
        }
        windows.add(window);
    }

    /** The queue pair is closed. */
    synchronized void release(SoftQueuePair by) {
        if (windows != null) {
            windows.forEach(window -> window.release(by));
        }
    }
}
