package org.panamaverbs.rdmacore.memory;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The regions of a device by their remote keys: a peer may invalidate one, and only the key says which. */
public final class Regions {
    private final ConcurrentMap<Integer, CoreMemoryRegion> byKey = new ConcurrentHashMap<>();
    private final Set<Integer> localKeys = ConcurrentHashMap.newKeySet();

    void add(CoreMemoryRegion region) {
        byKey.put(region.remoteKey(), region);
        localKeys.add(region.localKey());
    }

    void remove(CoreMemoryRegion region) {
        byKey.remove(region.remoteKey(), region);
        localKeys.remove(region.localKey());
    }

    public boolean hasLocalKey(int key) {
        return localKeys.contains(key);
    }

    public void onInvalidated(int key) {
        CoreMemoryRegion region = byKey.get(key);
        if (region != null) {
            region.onInvalidated();
        }
    }
}
