package org.panamaverbs.ddp.ddpp;

import java.util.EnumMap;
import java.util.Map;

/** Counts messages and the reasons of drops. */
final class Tally implements ReceptionCounters {
    final Map<Drop, Integer> drops = new EnumMap<>(Drop.class);
    int messages;
    long payload;

    @Override
    public void onMessage(int bytes) {
        messages++;
        payload += bytes;
    }

    @Override
    public void onDropped(Drop reason) {
        drops.merge(reason, 1, Integer::sum);
    }

    int dropped() {
        return drops.values().stream().mapToInt(Integer::intValue).sum();
    }
}
