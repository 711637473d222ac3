package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Ends a registration when the arena of its memory is closed, before the memory is given back.
 *
 * <p>An arena runs its clean-up actions in reverse order when it is closed, and giving back an allocation is one of them. An action that
 * is added after the allocation, as this is, therefore comes before. Actions cannot be taken back: what stays in the arena after the
 * region was closed is one small object, empty.
 */
@SuppressWarnings("restricted") // a segment with a clean-up action is what this needs
final class ArenaWatch {
    /** Stands for the arena of a segment, of which only the scope can be had. */
    private record ArenaOf(MemorySegment segment) implements Arena {
        @Override
        public MemorySegment.Scope scope() {
            return segment.scope();
        }

        @Override
        public MemorySegment allocate(long size, long alignment) {
            throw new UnsupportedOperationException("this is not one to allocate from");
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException("this is not ours to close");
        }
    }

    private CoreMemoryRegion region;

    private ArenaWatch(CoreMemoryRegion region) {
        this.region = region;
    }

    /** Watches the arena of a segment. */
    static ArenaWatch over(MemorySegment segment, CoreMemoryRegion region) {
        ArenaWatch watch = new ArenaWatch(region);
        MemorySegment.NULL.reinterpret(new ArenaOf(segment), _ -> watch.onClosed());
        return watch;
    }

    /** The region is closed: there is nothing to watch, nor to keep reachable. */
    synchronized void end() {
        region = null;
    }

    private void onClosed() {
        CoreMemoryRegion left;
        synchronized (this) {
            left = region;
        }
        if (left != null) {
            left.close();
        }
    }
}
