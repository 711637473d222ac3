package org.panamaverbs.nfs.server.export;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The last listings of directories: pages of a long one need not read it each time. Nothing depends on them. */
final class Listings {
    /** Names in all of them. */
    private static final int MOST_NAMES = 2 * Listing.MOST;

    private final Map<Handle, Listing> last = new LinkedHashMap<>(16, 0.75f, true);
    private int names;

    /** A listing as the directory was at that change, or {@code null}. */
    synchronized Listing get(Node directory, long change) {
        Listing listing = last.get(directory.handle());
        return listing != null && listing.change() == change ? listing : null;
    }

    synchronized void put(Node directory, Listing listing) {
        Listing before = last.put(directory.handle(), listing);
        names += listing.size() + 1 - (before == null ? 0 : before.size() + 1);
        Iterator<Listing> eldest = last.values().iterator();
        while (names > MOST_NAMES && eldest.hasNext()) {
            names -= eldest.next().size() + 1;
            eldest.remove();
        }
    }
}
