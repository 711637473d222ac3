package org.panamaverbs.tools.perf;

import java.util.Map;

/** How fast messages went. */
record Rate(double bytesPerSecond, double messagesPerSecond) {
    static final Rate NOTHING = new Rate(0, 0);

    /** @param nanos how long it took; 0 if nothing was measured */
    static Rate of(long messages, long size, long nanos) {
        if (nanos <= 0 || messages <= 0) {
            return NOTHING;
        }
        double perSecond = messages * 1e9 / nanos;
        return new Rate(perSecond * size, perSecond);
    }

    double gigabitsPerSecond() {
        return bytesPerSecond * 8 / 1e9;
    }

    /** Both at the same time. */
    Rate plus(Rate other) {
        return new Rate(bytesPerSecond + other.bytesPerSecond, messagesPerSecond + other.messagesPerSecond);
    }

    void describe(Map<String, Object> object) {
        object.put("bytesPerSecond", bytesPerSecond);
        object.put("gigabitsPerSecond", gigabitsPerSecond());
        object.put("messagesPerSecond", messagesPerSecond);
    }
}
